//! Sends a hundred segments over a custom channel that loses the twentieth.

use headgate_model::units::seconds;

mod channel;

#[allow(clippy::print_stdout)]
fn main() {
    let (sender, received) = channel::transfer(100, vec![20]);
    let received_s = seconds(received.expect("everything arrives"));
    println!("{} segments acknowledged, all received after {received_s:.3} s", sender.una);
    println!("{:?}", sender.stats.repairs());
}
