//! The bench with the stacks of this build.

fn main() -> std::process::ExitCode {
    quic_bench::cli::main_with(&quic_bench::stacks::shipped())
}
