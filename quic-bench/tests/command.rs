//! Exit codes and files of the command line.

mod common;

use quic_bench::cli;
use quic_bench::stacks::shipped;
use std::path::{Path, PathBuf};

const SHORT: &str = r#"
duration = "2 s"
seeds = 3
expect = ["EXPECT"]

[path]
rate = "5 Mbit/s"
rtt = "40 ms"
loss = 0.01

[[flows]]
name = "a"
stack = "headgate"
controller = "reno"
"#;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("quic-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let file = self.0.join(name);
        std::fs::write(&file, text).expect("a file");
        file.to_string_lossy().into_owned()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a file")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(args: &[&str]) -> (Result<u8, String>, String) {
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    let mut output = Vec::new();
    let code = cli::run(&args, &shipped(), &mut output).map_err(|error| error.to_string());
    (code, String::from_utf8(output).expect("text"))
}

#[test]
fn the_exit_code_is_that_of_the_verdicts() {
    let folder = Folder::new("codes");
    let file = |name: &str, expect: &str| folder.write(name, &SHORT.replace("EXPECT", expect));
    let holds = file("holds.toml", "goodput of a >= 1 kbit/s");
    let differs = file("differs.toml", "goodput of a >= 2 of rate");
    let open = file("open.toml", "completion of a <= 1 s"); // it does not end
    assert_eq!(run(&["run", &holds]).0, Ok(0));
    assert_eq!(run(&["run", &holds, &differs]).0, Ok(1));
    assert_eq!(run(&["run", &differs, "--fail-on", "never"]).0, Ok(0));
    assert_eq!(run(&["run", &open]).0, Ok(0));
    assert_eq!(run(&["run", &open, "--fail-on", "undecided"]).0, Ok(1));
    assert_eq!(run(&["check", &holds]).0, Ok(0));
}

#[test]
fn bad_input_is_an_error_before_anything_runs() {
    let folder = Folder::new("bad");
    let good = folder.write("good.toml", &SHORT.replace("EXPECT", "fairness >= 0"));
    let bad = folder.write("bad.toml", &SHORT.replace("EXPECT", "speed"));
    for (args, words) in [
        (vec!["run"], "no scenario"),
        (vec!["run", "no-such-file.toml"], "no-such-file.toml"),
        (vec!["run", &good, &bad], "expect[0]"),
        (vec!["run", &good, "--seeds", "0"], "1 to 10000"),
        (vec!["run", &good, "--seeds"], "a value must follow"),
        (vec!["run", &good, "--sedes", "3"], "'--sedes'"),
        (vec!["run", &good, "--fail-on", "holds"], "'undecided'"),
        (vec!["run", &good, "--fail-on", "never", "--fail-on", "differs"], "'never'"),
        (vec!["run", &good, "--json", "/no/such/folder/file"], "/no/such/folder/file"),
        (vec!["walk"], "'walk'"),
    ] {
        let message = run(&args).0.expect_err(words);
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn text_json_and_junit_agree() {
    let folder = Folder::new("files");
    let file = folder.write("one.toml", &SHORT.replace("EXPECT", "goodput of a >= 2 of rate"));
    let [json, junit] =
        ["out.json", "out.xml"].map(|name| folder.0.join(name).to_string_lossy().into_owned());
    let (code, text) = run(&["run", &file, "--json", &json, "--junit", &junit]);
    assert_eq!(code, Ok(1));
    assert!(text.starts_with("one: 1 of 1 expectations differ, 0 undecided, 0 hold (3 runs)"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&folder.read("out.json")).expect("JSON");
    let scenario = &json["scenarios"][0];
    assert_eq!(scenario["expectations"][0]["verdict"], "differs");
    assert!(text.contains(&format!("digest: {}", scenario["digest"].as_str().expect("a digest"))));
    assert_eq!(scenario["runs"].as_array().map(Vec::len), Some(3));
    let xml = folder.read("out.xml");
    assert!(xml.contains("tests=\"1\" failures=\"1\" skipped=\"0\""), "{xml}");
    assert!(xml.contains("name=\"goodput of a &gt;= 2 of rate\""), "{xml}");
    let (_, printed) = run(&["run", &file, "--json", "-"]);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).expect("JSON"), json);
}

#[test]
fn the_scenarios_of_the_package_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<PathBuf> =
        folder.read_dir().expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| !file.ends_with("own-stack.toml")); // tests/own_stack.rs runs it
    assert!(files.len() >= 10);
    for file in files {
        let (code, text) = run(&["check", &file.to_string_lossy()]);
        assert_eq!(code, Ok(0), "{text}");
    }
}

/// `UPDATE=1 cargo test --test command` writes the file again.
#[test]
#[cfg(feature = "quinn")]
fn the_output_in_the_documentation_is_that_of_the_program() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (code, text) = run(&["run", &package.join("scenarios/against-cubic.toml").to_string_lossy()]);
    assert_eq!(code, Ok(0), "{text}");
    let file = package.join("tests/outputs/against-cubic.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, text.trim_end().to_owned() + "\n").expect("a file");
    } else {
        assert_eq!(std::fs::read_to_string(&file).expect("a file").trim_end(), text.trim_end());
    }
}
