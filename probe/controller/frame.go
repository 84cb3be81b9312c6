package controller

import (
	"encoding/binary"

	"github.com/weirnet/weir/packet"
)

// What the frames of a Source are: of an EtherType that is for local experiments, with a number of
// the trial that they belong to, and one of their own.
const (
	etherTypeTrial = 0x88b5 // IEEE 802, local experimental EtherType 1
	trialMagic     = 0x7765697270726f62
	frameLen       = 60 // without the checksum
)

// MAC addresses of the frames. The entry that marks a frame gives it the destination marked.
var (
	frameSrc = packet.MAC{0x02, 0x70, 0x72, 0x6f, 0x62, 0x01}
	marked   = packet.MAC{0x02, 0x70, 0x72, 0x6f, 0x62, 0x03}
)

// trialDst is where the frames of a trial go, to nobody: each trial is a flow of its own, so that
// the switch remembers nothing of it.
func trialDst(trial uint32) packet.MAC {
	return packet.MACFromUint64(0x02_71_00_00_00_00 | uint64(trial))
}

// appendFrame appends a frame of a trial.
func appendFrame(b []byte, trial, number uint32) []byte {
	start := len(b)
	b = packet.AppendEthernet(b, trialDst(trial), frameSrc, 0, 0, etherTypeTrial)
	b = binary.BigEndian.AppendUint64(b, trialMagic)
	b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, trial), number)
	for len(b)-start < frameLen {
		b = append(b, 0)
	}
	return b
}

// parseFrame reads a frame that a switch has handed up, whole or cut; ok is false if it is none of
// a trial. It may have come with a VLAN tag, which the switch has put on it.
func parseFrame(b []byte) (trial, number uint32, isMarked, ok bool) {
	dst, _, _, etherType, at, ok := packet.ParseEthernet(b)
	if !ok || etherType != etherTypeTrial || len(b) < at+16 || binary.BigEndian.Uint64(b[at:]) != trialMagic {
		return 0, 0, false, false
	}
	b = b[at:]
	return binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:]), dst == marked.Uint64(), true
}
