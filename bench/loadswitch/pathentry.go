package loadswitch

import (
	"encoding/binary"
	"time"

	"github.com/weirnet/weir/openflow"
)

// pathEntry is an entry of OpenFlow 1.3 that takes what comes in by a port with two IPv4 addresses
// to another port, without time-outs: what a network with many paths has millions of. It says the
// same as an entry, in 32 bytes.
type pathEntry struct {
	cookie   uint64
	at       int64 // age of the network when it was received, in ns; 0 is no entry
	src, dst uint32
	in, out  uint16
	priority uint16
	table    uint8
	flags    uint8
}

// Where what is in a flow-mod of OpenFlow 1.3 (struct ofp_flow_mod, section A.3.4.1 of the
// specification), in bytes: its fields, its match, and one output that is applied, where the match
// is as long as a pathEntry's.
const (
	modCookie       = 8
	modMask         = 16
	modTable        = 24
	modCommand      = 25
	modTimeouts     = 26 // two of them
	modPriority     = 30
	modBuffer       = 32
	modOutPort      = 36
	modOutGroup     = 40
	modFlags        = 44
	modMatch        = 48
	modInstructions = 88
	modAction       = 96
	modActionPort   = 100
	modAppliedLen   = 112
)

// The match of a pathEntry: its type and length, and its TLVs in their canonical order with where
// their values are, from the first one on.
const (
	pathMatchHead = 1<<16 | (4 + pathOXMLen)
	pathOXMLen    = 30
	inPortHead    = 0x80000004
	inPortAt      = 4
	ethTypeHead   = 0x80000a02
	ethTypeAt     = 12
	ethTypeIPv4   = 0x0800
	srcHead       = 0x80001604
	srcAt         = 18
	dstHead       = 0x80001804
	dstAt         = 26
)

// What adds a pathEntry ends with one instruction of one action; what tells of its end has so many
// bytes.
const (
	applyHead  = 4<<16 | 24
	outputHead = 16
	removedLen = 88
)

// isPath reports whether a flow-mod's match is that of a pathEntry.
func isPath(f []byte) bool {
	return len(f) >= modInstructions && binary.BigEndian.Uint32(f[modMatch:]) == pathMatchHead && pathOXM(f[modMatch+4:])
}

// pathOXM reports whether TLVs, of which there are 30 bytes at least, are those of a pathEntry,
// with a port that it has room for.
func pathOXM(o []byte) bool {
	be := binary.BigEndian
	return be.Uint32(o) == inPortHead && be.Uint16(o[inPortAt:]) == 0 && be.Uint32(o[ethTypeAt-4:]) == ethTypeHead &&
		be.Uint16(o[ethTypeAt:]) == ethTypeIPv4 && be.Uint32(o[srcAt-4:]) == srcHead && be.Uint32(o[dstAt-4:]) == dstHead
}

// pathPlace reads where the entry of a flow-mod is, whose match is that of one.
func pathPlace(f []byte) pathEntry {
	be, o := binary.BigEndian, f[modMatch+4:]
	return pathEntry{src: be.Uint32(o[srcAt:]), dst: be.Uint32(o[dstAt:]), in: be.Uint16(o[inPortAt+2:]),
		priority: be.Uint16(f[modPriority:]), table: f[modTable]}
}

// parsePathAdd reads a flow-mod that adds a pathEntry; ok is false if it does anything else.
func parsePathAdd(f []byte, now time.Duration) (p pathEntry, ok bool) {
	be := binary.BigEndian
	if len(f) != modAppliedLen || openflow.FlowModCommand(f[modCommand]) != openflow.FlowAdd || be.Uint32(f[modTimeouts:]) != 0 ||
		be.Uint32(f[modBuffer:]) != openflow.NoBuffer || be.Uint16(f[modFlags:]) > 0xff || f[modTable] >= Tables ||
		be.Uint32(f[modInstructions:]) != applyHead || be.Uint32(f[modAction:]) != outputHead ||
		be.Uint16(f[modActionPort:]) != 0 {
		return pathEntry{}, false
	}
	p = pathPlace(f)
	p.cookie, p.flags, p.out = be.Uint64(f[modCookie:]), uint8(be.Uint16(f[modFlags:])), be.Uint16(f[modActionPort+2:])
	p.at = max(int64(now), 1)
	return p, true
}

// isPathDelete reports whether a flow-mod deletes at most the one entry of its place, whatever its
// outputs are.
func isPathDelete(f []byte) bool {
	be := binary.BigEndian
	return openflow.FlowModCommand(f[modCommand]) == openflow.FlowDeleteStrict && f[modTable] < Tables &&
		be.Uint32(f[modOutPort:]) == openflow.PortAny && be.Uint32(f[modOutGroup:]) == openflow.GroupAny
}

// appendRemoved appends the flow-removed that tells of a deletion.
func (p *pathEntry) appendRemoved(b []byte, now time.Duration) []byte {
	be := binary.BigEndian
	age := now - time.Duration(p.at)
	b = append(b, uint8(openflow.V13), uint8(openflow.TypeFlowRemoved), 0, removedLen, 0, 0, 0, 0)
	b = be.AppendUint64(b, p.cookie)
	b = be.AppendUint16(b, p.priority)
	b = append(b, uint8(openflow.RemovedDelete), p.table)
	b = be.AppendUint32(b, uint32(age/time.Second))
	b = be.AppendUint32(b, uint32(age%time.Second))
	b = append(b, make([]byte, 4+16)...) // time-outs, packets and bytes: nothing passed
	b = be.AppendUint32(b, pathMatchHead)
	b = p.appendOXM(b)
	return append(b, 0, 0, 0, 0, 0, 0)
}

// appendOXM appends the TLVs of the match.
func (p *pathEntry) appendOXM(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint32(b, inPortHead)
	b = be.AppendUint32(b, uint32(p.in))
	b = be.AppendUint32(b, ethTypeHead)
	b = be.AppendUint16(b, ethTypeIPv4)
	b = be.AppendUint32(b, srcHead)
	b = be.AppendUint32(b, p.src)
	b = be.AppendUint32(b, dstHead)
	return be.AppendUint32(b, p.dst)
}

// entry is the same as an entry, in memory of its own.
func (p *pathEntry) entry() *entry {
	return &entry{since: time.Duration(p.at),
		FlowStats: openflow.FlowStats{Table: p.table, Priority: p.priority, Flags: openflow.FlowFlags(p.flags),
			Cookie: p.cookie, Match: openflow.Match{OXM: p.appendOXM(nil)},
			Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(uint32(p.out)))}}}
}
