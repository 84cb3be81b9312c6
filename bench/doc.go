// Package bench measures controllers: anybody's, by what they answer to emulated switches.
//
// # The problem
//
// Figures of controllers are easy to get wrong. Counting messages flatters who sends more of them
// for a packet; a load that waits for the answer hides how long others would have waited; a machine
// that is busy with something else makes any number. So events are counted, not messages; times run
// from when a packet was meant to be sent; peers are measured in the same run, alternately; and
// where the generator was late, answers are missing, or nothing was answered, there is no result.
//
// # Inputs and outputs
//
// A Scenario says what is measured and how; Run measures it and returns a Report, with the machine,
// the versions and the command in it. The rooms below have the parts that scenarios are composed of:
// target (instances, other controllers and null instances), load and tenants (generators), paths (what is asked
// for), pace (how a generator waits), loadswitch (emulated switches), referee (whose writes emulated switches
// accept) and report (figures, verdicts and pages).
//
// # The shape of a scenario
//
//	reactive.go, trial.go    packet-ins under any controllers
//	discovery.go, start.go   an instance, and a network that comes into its view
//	burst.go, churn.go, latency.go, requests.go, reroute.go, events.go    intents over the API
//	emulator.go, rest.go     emulated networks
//	failover.go, failoveroffers_loop.go    a cluster whose instances are killed
//	hypervisor.go            messages of tenants, over what stands between controllers and switches
//	growth.go                costs of events with more and more of everything
//
// Each file has the configuration with its defaults, what is written into the report, and what is
// measured of all runs; the one with _loop in its name has a run. scenario.go has what all share: who
// takes part, runs, what is done again and what is refused.
//
// # Invariants
//
//   - Everybody takes part in each run, one after the other; who was refused takes part in none after.
//   - A run in which the generator was late is done again, at most as often as there are runs.
//   - An interrupted measurement has no report.
//   - What was started is ended, however a measurement ends.
package bench
