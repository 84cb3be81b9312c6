package host

// Counters are a host's totals since New.
type Counters struct {
	FramesIn, BytesIn   uint64 // received from the link, whether accepted or not
	FramesOut, BytesOut uint64 // sent

	NotMine     uint64 // frames in for another station's address: copies of floods
	Foreign     uint64 // frames in with another VLAN tag, or of a protocol or IP address that the host does not have
	Malformed   uint64 // frames in with inconsistent or truncated headers
	BadChecksum uint64 // frames in whose IP, ICMP, UDP or TCP checksum is wrong
	Fragments   uint64 // fragments in, which are refused
	Unmatched   uint64 // answers in to no request of this host

	Requests uint64 // ARP requests and neighbour solicitations out, without announcements
	Answers  uint64 // ARP replies and neighbour advertisements out, without announcements
	Asked    uint64 // ARP requests and neighbour solicitations in for an address of this host
	Resolved uint64 // addresses learned or confirmed by an answer to a request
	Moved    uint64 // known neighbours whose MAC address changed
	Failed   uint64 // neighbours that did not answer any request
	Unsent   uint64 // frames dropped because the neighbour did not answer or its queue was full

	Echoed      uint64 // echo requests in that were answered
	UDPIn       uint64 // datagrams in to a port of this host
	UDPEchoed   uint64 // of them to port 7, sent back
	UDPUnsunk   uint64 // of them not counted by flow: more than MaxSinks flows
	UDPUnmarked uint64 // of them without a stamp of an emulated host: counted by flow, but no loss and latency

	TCPIn       uint64 // segments in
	TCPBytesIn  uint64 // bytes that streams delivered, in order
	TCPAccepted uint64 // streams that other hosts opened
	TCPRefused  uint64 // segments answered with a reset: to closed ports, or of no stream
	TCPDropped  uint64 // SYNs not answered: more than MaxStreams
	TCPFailed   uint64 // streams of either end that were refused, reset, or timed out
}
