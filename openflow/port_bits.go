package openflow

// Bits of Port.Config (enum ofp_port_config).
const (
	PortConfigDown       uint32 = 1 << 0 // administratively down
	PortConfigNoRecv     uint32 = 1 << 2
	PortConfigNoFwd      uint32 = 1 << 5
	PortConfigNoPacketIn uint32 = 1 << 6
	PortConfigNoSTP      uint32 = 1 << 17 // OpenFlow 1.0, 1<<1 on its wire
	PortConfigNoRecvSTP  uint32 = 1 << 19 // OpenFlow 1.0, 1<<3 on its wire
	PortConfigNoFlood    uint32 = 1 << 20 // OpenFlow 1.0, 1<<4 on its wire
)

// Bits of Port.State (enum ofp_port_state). The spanning-tree state of OpenFlow 1.0 is a number in
// two bits.
const (
	PortStateDown       uint32 = 1 << 0 // no carrier
	PortStateBlocked    uint32 = 1 << 1
	PortStateLive       uint32 = 1 << 2
	PortStateSTPLearn   uint32 = 1 << 24 // OpenFlow 1.0, 1<<8 on its wire
	PortStateSTPForward uint32 = 2 << 24 // OpenFlow 1.0, 2<<8 on its wire
	PortStateSTPBlock   uint32 = 3 << 24 // OpenFlow 1.0, 3<<8 on its wire
	PortStateSTPMask    uint32 = 3 << 24
)

// Bits of the features of a port (enum ofp_port_features). OpenFlow 1.0 has those below 40 Gbit/s,
// and the media and negotiation ones at other places; on Append for 1.0 the four rates that it
// lacks go to bits 12 to 15, which mean nothing there.
const (
	PortFeature10MbHD    uint32 = 1 << 0
	PortFeature10MbFD    uint32 = 1 << 1
	PortFeature100MbHD   uint32 = 1 << 2
	PortFeature100MbFD   uint32 = 1 << 3
	PortFeature1GbHD     uint32 = 1 << 4
	PortFeature1GbFD     uint32 = 1 << 5
	PortFeature10GbFD    uint32 = 1 << 6
	PortFeature40GbFD    uint32 = 1 << 7
	PortFeature100GbFD   uint32 = 1 << 8
	PortFeature1TbFD     uint32 = 1 << 9
	PortFeatureOther     uint32 = 1 << 10
	PortFeatureCopper    uint32 = 1 << 11
	PortFeatureFiber     uint32 = 1 << 12
	PortFeatureAutoneg   uint32 = 1 << 13
	PortFeaturePause     uint32 = 1 << 14
	PortFeaturePauseAsym uint32 = 1 << 15
)

var portConfigNames = []flagName{
	{PortConfigDown, "port_down"}, {PortConfigNoSTP, "no_stp"}, {PortConfigNoRecv, "no_recv"},
	{PortConfigNoRecvSTP, "no_recv_stp"}, {PortConfigNoFlood, "no_flood"}, {PortConfigNoFwd, "no_fwd"},
	{PortConfigNoPacketIn, "no_packet_in"},
}

// portStateNames name the two bits of the spanning-tree state; stp_learn|stp_forward is
// OFPPS_STP_BLOCK.
var portStateNames = []flagName{
	{PortStateDown, "link_down"}, {PortStateBlocked, "blocked"}, {PortStateLive, "live"},
	{PortStateSTPLearn, "stp_learn"}, {PortStateSTPForward, "stp_forward"},
}

var portFeatureNames = []flagName{
	{PortFeature10MbHD, "10mb_hd"}, {PortFeature10MbFD, "10mb_fd"}, {PortFeature100MbHD, "100mb_hd"},
	{PortFeature100MbFD, "100mb_fd"}, {PortFeature1GbHD, "1gb_hd"}, {PortFeature1GbFD, "1gb_fd"},
	{PortFeature10GbFD, "10gb_fd"}, {PortFeature40GbFD, "40gb_fd"}, {PortFeature100GbFD, "100gb_fd"},
	{PortFeature1TbFD, "1tb_fd"}, {PortFeatureOther, "other"}, {PortFeatureCopper, "copper"},
	{PortFeatureFiber, "fiber"}, {PortFeatureAutoneg, "autoneg"}, {PortFeaturePause, "pause"},
	{PortFeaturePauseAsym, "pause_asym"},
}

// config10 and state10 are the bits that mean one thing in OpenFlow 1.0 and another or nothing in
// 1.3. swapBits exchanges them with the bits 16 higher, so that the mapping loses nothing and is
// its own inverse.
const (
	config10 uint32 = 1<<1 | 1<<3 | 1<<4
	state10  uint32 = 1<<1 | 1<<2 | 1<<8 | 1<<9
)

func swapBits(v, low uint32) uint32 {
	high := low << 16
	return v&^(low|high) | v&low<<16 | v&high>>16
}

// featuresFrom10 and featuresTo10 map the features: 1.0 has copper, fiber, autoneg, pause and
// pause_asym at bits 7 to 11, 1.3 at 11 to 15. The four bits that are left change places with them,
// so that nothing is lost.
func featuresFrom10(f uint32) uint32 {
	return f&^0xff80 | f&0x0f80<<4 | f&0xf000>>5
}

func featuresTo10(f uint32) uint32 {
	return f&^0xff80 | f&0xf800>>4 | f&0x0780<<5
}
