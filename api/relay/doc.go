// Package relay carries requests of the API from instances that stand by to the one that decides.
//
// # The problem
//
// Every instance of a cluster is to answer the whole API, and one of them knows the network. A caller that asks another one
// is to see no difference: streams that flow both ways, answers of gigabytes, an owner that dies in the middle. Nothing may
// be done twice because the way there broke, and nobody may do more over the peer port than over the API.
//
// # Inputs and outputs
//
// A Forwarder is the rest.Forwarder of an instance that stands by. It is told who decides (Target), and sends requests to
// Path of that one's peer port, as a reverse proxy. A Receiver serves that path at each instance: with the owner's API
// while Serve runs, and else with a refusal that says that nothing was done.
//
// # Form
//
// The path is Path and the request's own. Two headers say where the request was made:
//
//	Weir-Forwarded-For  the caller's address, HOST:PORT
//	Weir-Forwarded-By   the name of the instance that was asked
//
// All else is the caller's, the token too, which the receiver checks as its API does. The answer of the API has Weir-Answered;
// one with Weir-Refused says that nothing was done: "not-owner", or "forwarding" where the headers are refused.
//
// # Invariants
//
//   - One hop: what comes to a Receiver is answered there, and never forwarded.
//   - The headers above count at Path alone, and are taken from what callers send.
//   - What may have been done is not sent again, unless it changes nothing or has an Idempotency-Key that is heeded.
//   - No answer is held back, and no body of more than bufferedBody is kept.
package relay
