// Package probes sends the frames by which links are found, no more than come back, and knows them again.
//
// # The problem
//
// A link is found by a frame that only we can have made. Somebody else may copy or keep one: so each is
// signed, has a number that no other has, and counts once, soon after it was sent. Ten thousand switches
// have forty thousand ports, which may all come up in the same second: probes that are heard late look like
// probes that were not heard.
//
// # What is here
//
//   - Codec: a Probe ⇄ an LLDP frame; used by sessions' goroutines too.
//   - Prober: which port sends a probe when: at once when it comes up, then one in each round, and for
//     suspicion of a loop. In: ports that came up, rounds, suspicions. Out: frames in the outbox. A probe is
//     remembered until sixteen later ones; a periodic one counts as missed until it is heard.
//   - Pace: how fast. In: how late probes are heard, and how many are dropped. Out: the period of rounds, the
//     silence that makes an edge, when to probe.
package probes
