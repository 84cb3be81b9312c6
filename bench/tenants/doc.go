// Package tenants loads what stands between tenants' controllers and switches: a hypervisor.
//
// # The problem
//
// A hypervisor is measured from both sides at once: messages go in at one and are waited for at the other, of many
// tenants at a time. What it costs is only known beside the same messages without it, on the same machine and
// between the same ends; and whether it is fair, by each tenant's own times. A load that waits for answers hides
// how long others would have waited, so messages are meant for certain times, and times run from then.
//
// # Inputs and outputs
//
// A Config says which messages there are (Kind), of how many tenants, and how many of each. A Load has the tenants'
// controllers, which listen, and the switches: Connect takes these to a hypervisor, or to one address for each
// tenant. Settle waits until messages of all tenants come through. Measure returns a Sample, with each tenant's
// times and counts, whose Check says why it is no result.
//
// # What the switches do
//
// They are those of package loadswitch. Where packets are shown to controllers, each has its flow entries in a
// flowtable.Switch besides, which says of a packet of each tenant whether it is shown, and with which cookie, table
// and metadata: a hypervisor that sets these must find them in packet-ins. Each tenant's packets have a VLAN of
// their own, and come in at one port. Packet-outs of the load end at the switch that gets them.
//
// # Who owns what
//
// A tenant's lock guards its window, times and counts; it is taken once for a batch of answers. Where a number is
// outstanding, who takes the answers sends what follows; at a set rate one goroutine sends for all tenants.
package tenants
