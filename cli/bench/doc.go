// Package bench is the command line of package bench at the top: weir bench, a command for each scenario.
//
// # The problem
//
// Scenarios have many settings. Which flags a scenario has, and which contradict each other or say
// nothing, has to be found before hours of measuring.
//
// # Inputs and outputs
//
// New makes the command. Each file has the flags of a scenario, which become a bench.Scenario;
// scenario.go has what all share: it runs the scenario, prints the report and writes its files.
// paper.go puts campaigns of weir probe paper beside the figures of a paper.
//
// # Invariants
//
//   - Whatever is wrong with flags or files is said before anything is started.
//   - A report without a result is shown, and ends the command with exit code 1.
package bench
