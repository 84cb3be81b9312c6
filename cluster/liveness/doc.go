// Package liveness decides which instances of a cluster are alive, by the heartbeats that come from them.
//
// # The problem
//
// When the owner of a cluster dies, another instance takes its place within 100 ms. So silence of 40 ms has to mean
// something. A process that was stopped, or had no processor for 40 ms, has heard nobody meanwhile: it must not take
// all others for dead. And who does not hear the owner may be cut off from it alone, while others hear it.
//
// # Inputs and outputs
//
// A Core is one instance's. It is told the members, its own ticks (Tick), heartbeats that came (Receive) and streams
// that broke (Lost); time is an argument of each. It answers whom it hears (Heard, Suspected), whether nobody hears an
// instance (Unheard), who of the living is first (First), and what its next heartbeat is (Heartbeat). Append and Parse
// are a heartbeat's bytes. There is no goroutine, lock, clock or I/O: package cluster/streams has them.
//
// An instance is named by its ID, which it keeps, and by its incarnation, a random number of each start: together a
// Life. A restarted instance has left its former life, even if nobody missed a heartbeat.
//
// # When an instance is suspected
//
// A member is suspected at the first tick at which it has been silent for longer than its limit:
//
//	limit = the longer of Missed × Every and 2 × period + delay (own + the sender's, at most MaxDelay)
//
// The period is that which the sender says in its heartbeat: Every, or twice that while all is quiet, which is when
// ticks of all come on time. A tick at Deadline finds a suspicion without waiting for the next heartbeat to be due. A
// delay is by how much ticks came late, lately: the maximum of all, each halved for every second that has passed
// since. Senders tell theirs in heartbeats, so that a busy machine's are waited for. A tick that is later than twice
// what was known of the own delay, and a period more, was a gap: this process did not run, and nothing is concluded
// from the silence meanwhile; everyone has a whole limit from now on. Ticks that are always late do not go on doing
// so, since the delay is known by then.
//
// After Lost the limit is two periods and the delay: a process that is killed breaks its streams, and one that lives
// has a new stream by then.
//
// A member that was never heard is suspected FirstContact after it became one, or after the Core was made.
//
// # When an owner may be replaced
//
// Unheard(owner's life) is true when this instance suspects the owner, or hears a later life of it, and none of those
// that it hears says that it hears that life. It is a hint about when to try, nothing more: who owns is decided by a
// transaction of the store, and writes are fenced by terms (docs/design/0016-terms.md). Who is cut off from everybody
// finds everybody unheard.
//
// # Invariants
//
//   - Of a member whose heartbeats came within Missed × Every before each tick none is suspected.
//   - One that has died is suspected at the first tick after its limit if ticks are on time, and within a few times the
//     delay if they are not. A process whose every tick is later than a second concludes nothing from silence.
//   - A gap of the own process, however long, raises no suspicion by itself.
//   - A heartbeat that came late, twice, or from a former life, changes nothing.
//   - Only ticks raise suspicions; a heartbeat ends one at once.
package liveness
