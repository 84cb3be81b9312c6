// Package profile describes how a switch behaves: its delays, its rates and the sizes of its
// tables.
//
// # The problem
//
// A model of OpenFlow does everything at once. Real switches do not: a new flow takes them
// milliseconds to hundreds of them, rules come into force in batches, tables are small, the way to
// the controller is narrow. An emulator whose results are to match a given switch must be given its
// figures, and whoever reads the results must know which of these figures were measured and which
// were guessed.
//
// # Inputs and outputs
//
// A Profile is a plain value. Named has the built-in ones (Names); Parse and Find read others from
// YAML (docs/profiles.md), and every mistake is a strictyaml.Problem with its line. Parts lists
// what a profile promises, part by part, each with its Source: measured, paper (of a publication),
// or assumed. Package emu makes its switches keep the promises.
//
// # What is promised
//
// Payload is that of ICMP or UDP before fragmentation: of an echo request of 1,500 bytes of data it
// is 1,500. Between the points of a Latency the time is linear in the logarithm of the payload,
// outside of them constant.
//
//   - PathLatency is two-way: what an echo request and its reply spend between the two hosts'
//     interfaces, together, when their flow is installed (Δ3 of the asynchronous latency technique:
//     Δ1 at the sender less Δ2 at the receiver). Each way takes half. Of a fragmented packet it is
//     the time from the first fragment's coming to the last one's going. Fragments before the last
//     go no later than a packet of their or any greater payload might have to (Latency.Least): how
//     long the packet is shows with the last.
//   - FlowSetup is how much longer the first round trip takes than later ones, where both ways are
//     new flows and the controller sets up each when its packet comes: each flow takes half.
//     Controller is how much of a flow's half was the controller's when the figures were taken: an
//     answer within that time does not lengthen the set-up, what it takes beyond it does.
//   - Devices, of both, is what two devices of the machine take where the switch is between them, in
//     all: a frame that leaves by a device goes half of it earlier. A profile that was measured from
//     outside and calibrated (weir probe calibrate) has it, so that its figures are those of the
//     switch, and what is seen of the emulated one is the same.
//   - Load multiplies PathLatency by a factor that depends on what leaves by the same port.
//   - Forwarding: what leaves by one port, and by all of a switch, has a rate by the length of
//     frames. What comes faster waits, for Wait at most, and is lost beyond that.
//   - Install: changes of flow entries, groups and meters come into force one batch after the
//     other. While one is being written, the next gathers. A barrier is answered when all before it
//     is in force.
//   - PacketIn and PacketOut: at most so many a second; so many more wait, and what is above that
//     is dropped and counted.
//   - Statistics: answers to requests for counters come after a delay, and one more for each item;
//     one request after the other.
//   - Tables: how many there are, and how much they hold. What does not fit is refused with
//     OpenFlow's errors.
//
// # Invariants
//
//   - The zero Profile is the ideal switch: no delay, no limit. So is the zero value of each part.
//   - What Parse returns has passed Check.
//   - The YAML of a profile, read again, is the same profile.
package profile
