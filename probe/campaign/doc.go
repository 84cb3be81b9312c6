// Package campaign says what a probe measures in which order, and makes reports of it.
//
// # The problem
//
// A latency means something only beside what the probe itself takes, on the same machine, with the
// same packets, at the same time of day. And it means nothing when a frame was not observed, the
// clock was set meanwhile, or somebody else used the path.
//
// # Inputs and outputs
//
// Latency measures the path latency between two interfaces by the size of packets, Cable what it
// finds of a cable in place of the path, Setup how much longer the first packet of a flow takes. An
// Observer is the far end of a Latency whose near end is at another machine. Out: a report.Report, in
// which a size without a result has a reason, and samples for a table.
//
// Where the switch is of a controller of ours, Rules say when it gets the entries of the stations:
// Reactive, as the first packet of a flow comes, or Installed before.
//
// # Who owns what
//
// A bed is two ends, each a station at an interface. Each interface's goroutine (probe/nic) gives its
// frames to its end, which keeps what was seen under a lock of its own; the caller sends and waits.
// A far end at another machine is a remote: its goroutine takes the observer's answers, and ends the
// measurement's context when the connection ends. An Observer has a goroutine for each connection; of
// them one at a time speaks with the end.
package campaign
