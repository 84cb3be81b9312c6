// Package streams connects the instances of a cluster: heartbeats, messages, requests and bulk streams.
//
// # The problem
//
// The instances of a cluster have to know within some ten milliseconds that one of them has died, however much they are
// sending each other; to answer requests that came to another one; and to be given what others know in order and without
// a gap, or to be told that there is one. A slow receiver must not hold up who sends, nor the heartbeats.
//
// # Inputs and outputs
//
// Start begins the Streams of an instance; SetPeers says who the members are, again whenever that changes. Handler answers
// the others' calls on the peer port, whose listener and TLS are the caller's. Heard, Suspected, Unheard and First answer
// what package cluster/liveness concludes from heartbeats; Config.Changed says when to ask again. Send is for messages, Ask
// for requests, Begin for bulk streams; what comes goes to the functions of a Kind. Members and Counts are for /v1/members
// and package metrics. docs/design/0016-streams.md has the protocol, and why it is as it is.
//
// # How to use it
//
//	s, err := streams.Start(streams.Config{
//		Cluster: clusterID, Self: liveness.Life{ID: memberID, Incarnation: random}, Name: name, // as etcd has them
//		TLS:     &cert.PeerFiles{Cert: …, Key: …, CA: …}, // nil: on loopback only
//		Kinds:   []streams.Kind{{Number: 1, Name: "view", Bulk: &streams.Receiver{…}}, {Number: 2, Name: "writes", Request: …}},
//		Changed: bell.Ring, Log: log,
//	})
//	mux.Handle(streams.Path, s.Handler()) // the peer port has TLS.Server(), or verifies clients as well
//	s.SetPeers(members)                   // ID, name and peer address of each, from the store; again when they change
//	…
//	s.Close()                             // before the peer port is closed
//
// A standby looks whenever the bell has rung, and at least once in each tick of its own, at the owner's row, which holds the
// owner's Life: if s.Unheard(owner), and s.First(order) is the own number, it tries to take the row. The order is one
// that all instances make alike, such as: those that are not the store's leader, by number, then the leader. It is a
// hint: the transaction decides.
//
// A sender of bulk begins a stream when s.Connected(peer) has become true and the receiver needs one; when Send fails or
// Done is closed the receiver was told too, and both start anew, from whatever the receiver then asks for (a request of
// another kind, say, with the revision that it has). A receiver that finds a part wrong returns an error from Take.
//
// A write that is forwarded by Ask was not done when the error is ErrNotConnected, ErrFull, ErrTooLong or *Refused; with
// ErrUnknown it may have been, and its outcome has to be asked for.
//
// # Who owns what
//
// One goroutine makes all heartbeats and writes them (loop.go). Each connection has a reader, which calls the functions of
// a Kind, and a writer; each request that is answered has one (answer_loop.go), and each peer that is called one for each
// lane (call_loop.go). Streams.mu guards the list of peers and what is known of them, conn.mu the queues; nobody takes
// the first while it holds the second, and no function of the user is called under either.
//
// # Invariants
//
//   - Nothing that sends waits. What one peer does not take costs no more memory than the queues of its kinds.
//   - Of a message none comes twice or out of order, over any number of connections. Messages are lost only with their
//     connection.
//   - Of a bulk stream the receiver has all parts up to one, and is then told its end, before anything else of the kind.
//   - After Close no function of a Kind is called.
//   - Only a member whose number, name, cluster, version and, with TLS, certificate are right is spoken to; whoever is
//     refused is told why in one line, and Member.Error says it.
package streams
