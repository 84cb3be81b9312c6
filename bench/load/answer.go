package load

import (
	"encoding/binary"

	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/openflow"
)

// Offsets into whole messages, in bytes: of struct ofp_flow_mod and struct ofp_packet_out of
// openflow-1.0.h and openflow-1.3.h.
const (
	modCommand10, modIdle10 = 56, 58
	modCommand13, modIdle13 = 25, 26

	outBuffer = 8
)

// mark is what the payload of every frame begins with; the number of its switch and its token
// follow.
var mark = [8]byte{'w', 'e', 'i', 'r', 'l', 'o', 'a', 'd'}

// payloadLen is what a 64-byte frame has room for after the headers.
const payloadLen = frameLen - 14 - 20 - 8

// answer is what a message from a controller says to a load generator.
type answer struct {
	token uint32
	known bool // it names a packet
	ours  bool // it is about a packet or a soft rule: no concern of the switch
}

// readModification reads a flow-mod: it answers the packet whose buffer it names. Soft rules are
// counted by the generator, not kept by the switch.
func readModification(v openflow.Version, frame []byte) answer {
	bufferAt, commandAt, idleAt := target.FlowModBuffer13, modCommand13, modIdle13
	if v == openflow.V10 {
		bufferAt, commandAt, idleAt = target.FlowModBuffer10, modCommand10+1, modIdle10
	}
	buffer := binary.BigEndian.Uint32(frame[bufferAt:])
	add := frame[commandAt] == uint8(openflow.FlowAdd)
	soft := binary.BigEndian.Uint32(frame[idleAt:]) != 0
	known := add && buffer != openflow.NoBuffer
	return answer{token: buffer, known: known, ours: known || add && soft}
}

// readPacketOut reads a packet-out: it answers the packet whose buffer it names, or whose frame it
// has.
func readPacketOut(frame []byte, sw uint32, buffered bool) answer {
	if buffer := binary.BigEndian.Uint32(frame[outBuffer:]); buffer != openflow.NoBuffer {
		return answer{token: buffer, known: true, ours: true}
	}
	if len(frame) < payloadLen+24 {
		return answer{}
	}
	payload := frame[len(frame)-payloadLen:]
	if [8]byte(payload) != mark {
		return answer{}
	}
	known := !buffered && binary.BigEndian.Uint32(payload[8:]) == sw
	return answer{token: binary.BigEndian.Uint32(payload[12:]), known: known, ours: true}
}
