// Package paths has the paths and trees that intents take, each once however many take it, who takes them,
// and whether their links work.
//
// # The problem
//
// A million intents take paths over the same few thousand hops. A link that changes concerns the paths
// over it and nobody else: they have to be found, and judged, without a look at the others, and the first
// intents that lost their path re-routed before the last is found.
//
// # Inputs and outputs
//
// Registry makes a Path of hops, once, and finds it again by its route, which is what rule sets have. It
// is told which intents take a path (AddUser) and which still have rules along it (AddRetiring), and
// forgets paths that nobody has, when there are many. Status has the network: of a path it tells what it
// costs, whether a link is down, unconfirmed or draining, and how long packets may be on their way; of
// links that changed, which intents have lost their path (Scan). InTree and OutTree make trees of
// branches, Union the one that serves while a tree takes the place of another. Append and Decoder are the
// durable form.
//
// # Invariants
//
//   - Each route exists once: two paths are the same if and only if their pointers are.
//   - A path with users, or with intents that have rules along it, is not forgotten. Others may be at each
//     Sweep.
//   - The state of a path with users is that of Status's map, but for the paths that a scan has not come
//     to.
//   - A hop's ID is that of the port that it comes in by; a route's ID is that of its path.
//
// The package is pure. All of it has one owner at a time.
package paths
