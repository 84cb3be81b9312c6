// Package target has what is measured, and what a measurement is checked with: instances and other
// controllers as processes, and null instances.
//
// # The problem
//
// What is measured must not share a process with the generator, or its CPU time and memory are
// nobody's. It must be gone when a measurement ends, however that ends. And a figure says nothing
// about a controller if the generator and the machine could give no more: so there is something to
// measure in the same way that does next to nothing.
//
// # Inputs and outputs
//
// A Process is started by the name of a controller (StartController), as an instance of a weir
// binary (StartIn), or as a null instance. It has addresses, and what it takes is read from the
// kernel and from its metrics. Respond, Synthetic, Null and NullView are served by the processes of
// weir bench responder: the null responder answers packet-ins, a Synthetic does so with delays,
// losses and stalls that are known, the Null instance takes intents, and the NullView shows a
// network. A Relay is that of weir bench relay, between switches and controllers.
//
// # Who owns what
//
// Who started a Process stops it. A null instance's lock is held while switches are written to, so
// that they hear of paths in one order.
package target
