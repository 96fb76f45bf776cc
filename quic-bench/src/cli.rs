//! The command line, for any list of stacks.
//!
//! A program that adds its own stack is this one line:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     quic_bench::cli::main_with(&quic_bench::stacks::shipped())
//! }
//! ```

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::bench::{Report, run_all};
use crate::error::{Error, Result};
use crate::expect::Verdict;
use crate::report::{to_json, to_junit, to_text};
use crate::scenario::{CheckedScenario, HEADGATE, Scenario};
use crate::stack::Stack;

const USAGE: &str = "\
quic-bench run FILE...      run scenarios, print the results, and judge their expectations
quic-bench check FILE...    read scenarios and check all values, without running anything
quic-bench stacks           list the stacks of this build, and their controllers

Options of run:
  --seeds N          number of runs instead of the scenario's `seeds`
  --threads N        number of threads; results do not depend on it
  --json FILE        write the results as JSON; '-' prints them instead of the text
  --junit FILE       write the verdicts as JUnit XML
  --fail-on VERDICT  differs (default), undecided or never; may be repeated

Exit code: 0, 1 if --fail-on names the verdict of an expectation, 2 for bad input.
";

/// The arguments of `run`.
#[derive(Debug, Default)]
struct Options {
    files: Vec<String>,
    seeds: Option<u64>,
    threads: Option<usize>,
    json: Option<String>,
    junit: Option<String>,
    fail_on: Vec<Verdict>,
}

/// Runs the command line of this process with these stacks.
pub fn main_with(stacks: &[&dyn Stack]) -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut output = Vec::new();
    let code = match run(&args, stacks, &mut output) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("quic-bench: {error}");
            2
        }
    };
    // A reader that has closed the pipe needs no more.
    let _ = std::io::stdout().write_all(&output);
    ExitCode::from(code)
}

/// Runs a command line, appends what it prints to `output`, and returns its exit code.
///
/// # Errors
/// If the input is bad.
pub fn run(args: &[String], stacks: &[&dyn Stack], output: &mut Vec<u8>) -> Result<u8> {
    match args.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("run", rest)) => run_files(&parse(rest)?, stacks, output),
        Some(("check", rest)) => {
            for file in &parse(rest)?.files {
                let (scenario, _) = load(file, stacks, None)?;
                print(
                    output,
                    &format!("{file}: {} expectations, {} seeds\n", scenario.expect.len(), scenario.seeds),
                );
            }
            Ok(0)
        }
        Some(("stacks", [])) => {
            print(
                output,
                &format!("{HEADGATE}: every controller of `headgate catalog`, with its parameters\n"),
            );
            for stack in stacks {
                print(output, &format!("{}: {}\n", stack.name(), stack.controllers().join(", ")));
            }
            Ok(0)
        }
        Some(("--help" | "-h" | "help", _)) | None => {
            print(output, USAGE);
            Ok(0)
        }
        Some((other, _)) => Err(Error::new("", format!("'{other}' is not a command\n\n{USAGE}"))),
    }
}

fn print(output: &mut Vec<u8>, text: &str) {
    output.extend_from_slice(text.as_bytes());
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut is_never = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| Error::new(arg, "a value must follow"));
        match arg.as_str() {
            "--seeds" => options.seeds = Some(count(arg, value()?)?),
            "--threads" => options.threads = Some(count(arg, value()?)? as usize),
            "--json" => options.json = Some(value()?.clone()),
            "--junit" => options.junit = Some(value()?.clone()),
            "--fail-on" => match value()?.as_str() {
                "differs" => options.fail_on.push(Verdict::Differs),
                "undecided" => options.fail_on.push(Verdict::Undecided),
                "never" => is_never = true,
                other => {
                    let says =
                        format!("'{other}' is not allowed; it must be 'differs', 'undecided' or 'never'");
                    return Err(Error::new(arg, says));
                }
            },
            option if option.starts_with("--") => {
                return Err(Error::new("", format!("'{option}' is not an option\n\n{USAGE}")));
            }
            file => options.files.push(file.to_owned()),
        }
    }
    if options.files.is_empty() {
        return Err(Error::new("", format!("no scenario is named\n\n{USAGE}")));
    }
    match (is_never, options.fail_on.is_empty()) {
        (true, true) => {}
        (true, false) => return Err(Error::new("--fail-on", "'never' excludes other verdicts")),
        (false, true) => options.fail_on.push(Verdict::Differs),
        (false, false) => {}
    }
    Ok(options)
}

fn count(option: &str, text: &str) -> Result<u64> {
    let number = text.parse().ok().filter(|number| (1..=10_000).contains(number));
    number.ok_or_else(|| Error::new(option, format!("'{text}' is not allowed; it must be from 1 to 10000")))
}

/// Reads and checks a scenario.
fn load(file: &str, stacks: &[&dyn Stack], seeds: Option<u64>) -> Result<(Scenario, CheckedScenario)> {
    let text = std::fs::read_to_string(file).map_err(|error| Error::new(file, error.to_string()))?;
    let mut scenario = Scenario::from_toml(&text).map_err(|error| Error::new(file, error.message))?;
    scenario.seeds = seeds.unwrap_or(scenario.seeds);
    let checked = scenario.check(stacks).map_err(|error| Error::new(file, error.to_string()))?;
    Ok((scenario, checked))
}

/// Checks all files before it runs the first.
fn run_files(options: &Options, stacks: &[&dyn Stack], output: &mut Vec<u8>) -> Result<u8> {
    let load = |file: &String| load(file, stacks, options.seeds);
    let scenarios = options.files.iter().map(load).collect::<Result<Vec<_>>>()?;
    let threads =
        options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let mut reports = Vec::new();
    for (file, (scenario, checked)) in options.files.iter().zip(&scenarios) {
        let name = Path::new(file).file_stem().map_or(file.as_str().into(), |stem| stem.to_string_lossy());
        let report = run_all(&name, &scenario.about, checked, stacks, threads);
        let report = report.map_err(|error| Error::new(file, error.to_string()))?;
        if options.json.as_deref() != Some("-") {
            print(output, &format!("{}\n", to_text(&report)));
        }
        reports.push(report);
    }
    write(options, &reports, output)?;
    let fails = |report: &Report| options.fail_on.iter().any(|verdict| report.count(*verdict) > 0);
    Ok(u8::from(reports.iter().any(fails)))
}

fn write(options: &Options, reports: &[Report], output: &mut Vec<u8>) -> Result {
    let to_file = |file: &str, text: &str| {
        std::fs::write(file, text).map_err(|error| Error::new(file, format!("it cannot be written: {error}")))
    };
    if let Some(file) = &options.json {
        let text = format!("{:#}\n", to_json(reports));
        if file == "-" { print(output, &text) } else { to_file(file, &text)? }
    }
    options.junit.as_ref().map_or(Ok(()), |file| to_file(file, &to_junit(reports, &options.fail_on)))
}
