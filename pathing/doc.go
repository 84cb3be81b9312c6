// Package pathing is what all that moves packets from one path to another has in common: pairs of
// app/forward and intents. It holds when a path that works may be left for a better one, how many may
// move at a time, in which order rules are written meanwhile, and which links are not to be trusted yet.
//
// # The problem
//
// A link that fails is left at once. When it comes back, paths over it are shorter again, and whoever
// goes back too early is hit by its next failure; a link that flaps, with any period, must not move paths
// again and again. Nor may it keep others from going back to links that are sound.
//
// # Inputs and outputs
//
// A Restorer is told of the changes of links, with the time. It tells when suboptimal paths are to be
// looked for, and which links new paths leave out where they can. A Judge tells of a path that works
// whether it is worth leaving. Stages orders the rules of a path that takes the place of another, and a
// Transition goes through them as they are confirmed. A Registry has paths, each once, by number and by
// their hops, and Ports those that pass a port; each engine has its own, since packet-ins wait for that of
// pairs.
//
// # Invariants
//
//   - No path goes back to a link that has not been up for its hold time: WaitToRestore, doubled for each
//     failure that followed another before the link had been up for twice its hold time, up to HoldMax.
//     Failures within one WaitToRestore count once: a carrier that bounces is one failure.
//   - Through the stages of a hitless transition no packet is lost, whatever is confirmed when.
//   - A link that has failed twice like this is in back-off until it has been up for its hold time. Its
//     changes do not begin the wait of others anew.
//
// The package is pure: time is an argument.
package pathing
