package trace

import "sync/atomic"

// Point is a place on a way: the package, and what has just happened there.
type Point string

// The points, in the order in which things flow.
const (
	PacketIn   Point = "southbound: packet-in"   // one came in, and is parsed
	PortStatus Point = "southbound: port status" // one came in
	Sighted    Point = "discovery: frame"        // a packet-in's sender was looked up
	Facts      Point = "discovery: facts"        // the view has what followed from what came in
	Path       Point = "forward: path"           // a packet's pair has got a path
	Move       Point = "forward: move"           // a pair begins to move to another path
	Confirmed  Point = "forward: confirmed"      // a switch has confirmed rules of pairs
	Appended   Point = "southbound: appended"    // a flow-mod or packet-out waits for the end of its batch

	Request   Point = "api: request"       // requests about intents are read and checked
	Queued    Point = "journal: queued"    // records wait for their transaction
	Durable   Point = "journal: durable"   // a transaction is done
	Orders    Point = "intent: orders"     // a turn has orders for switches
	Batch     Point = "flowsync: batch"    // rules for one switch, and their barrier, are handed over
	Barrier   Point = "flowsync: barrier"  // a switch has answered the barrier of a batch
	Outcomes  Point = "flowsync: outcomes" // orders are done, or have failed
	Published Point = "intent: published"  // readers, and streams of events, see new states
	Written   Point = "session: written"   // bytes were given to the connection
)

// watcher is nil without one.
var watcher atomic.Pointer[func(Point)]

// At is called where a point is passed.
func At(p Point) {
	if f := watcher.Load(); f != nil {
		(*f)(p)
	}
}

// Watch has f called at each point, on the goroutine that passes it, which may hold locks: f must not block,
// nor call the instance. It returns what ends that; calls that have begun may end later.
func Watch(f func(Point)) (end func()) {
	watcher.Store(&f)
	return func() { watcher.CompareAndSwap(&f, nil) }
}
