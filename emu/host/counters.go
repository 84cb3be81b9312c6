package host

// Counters are a host's totals since New.
type Counters struct {
	FramesIn, BytesIn   uint64 // taken from the link, whatever became of them
	FramesOut, BytesOut uint64 // given to the link

	NotMine     uint64 // frames in for another station's address: copies of floods
	Foreign     uint64 // frames in with another VLAN tag, or of a protocol or IP address that the host does not have
	Malformed   uint64 // frames in whose headers contradict themselves or end early
	BadChecksum uint64 // frames in whose IP, ICMP, UDP or TCP checksum is wrong
	Fragments   uint64 // fragments in, which are refused
	Unmatched   uint64 // answers in that nothing here waits for

	Requests uint64 // ARP requests and neighbour solicitations out, announcements aside
	Answers  uint64 // ARP replies and neighbour advertisements out, announcements aside
	Asked    uint64 // ARP requests and neighbour solicitations in for an address of this host
	Resolved uint64 // addresses learned or learned anew from an answer to a request
	Moved    uint64 // known neighbours that turned out to have another MAC address
	Failed   uint64 // neighbours that answered none of the requests
	Unsent   uint64 // frames that were dropped because they waited for such a neighbour, or too many did

	Echoed      uint64 // echo requests in that were answered
	UDPIn       uint64 // datagrams in to a port of this host
	UDPEchoed   uint64 // of them to port 7, sent back
	UDPUnsunk   uint64 // of them not counted by flow: more than MaxSinks flows
	UDPUnmarked uint64 // of them without a stamp of an emulated host: counted by flow, but no loss and latency

	TCPIn       uint64 // segments in
	TCPBytesIn  uint64 // bytes that streams delivered, in order
	TCPAccepted uint64 // streams that others opened here
	TCPRefused  uint64 // segments answered with a reset: to closed ports, or of no stream
	TCPDropped  uint64 // SYNs not answered: more than MaxStreams
	TCPFailed   uint64 // streams of either end that were refused, reset, or timed out
}
