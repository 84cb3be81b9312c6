// Package metrics shows what the parts of an instance count, for Prometheus.
//
// # Inputs and outputs
//
// Register takes the parts, as Sources. They are read when somebody asks, and asked for copies:
// nothing is counted twice, and nothing here has a goroutine.
//
// # Invariants
//
//   - Counters end in _total, never go back while the instance runs, and have an explanation.
//   - How many series there are is bounded: those of ports by Sources.PortSeries, those of switches
//     by the limit of switches.
package metrics
