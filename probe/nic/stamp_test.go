//go:build linux

package nic

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// controlMessage is a control message as the kernel writes it.
func controlMessage(level, kind int32, data []byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(data)))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = level, kind
	h.SetLen(unix.CmsgLen(len(data)))
	copy(b[unix.CmsgLen(0):], data)
	return b
}

// TestParseControl reads both stamps of a frame, and its auxiliary data, among other messages.
func TestParseControl(t *testing.T) {
	var times []byte
	for _, v := range []uint64{5, 6, 0, 0, 7, 8} {
		times = binary.NativeEndian.AppendUint64(times, v)
	}
	oob := append(controlMessage(unix.SOL_PACKET, unix.PACKET_TX_TIMESTAMP, make([]byte, 16)),
		controlMessage(unix.SOL_PACKET, unix.PACKET_AUXDATA, []byte("auxiliary data of 20"))...)
	oob = append(oob, controlMessage(unix.SOL_SOCKET, unix.SO_TIMESTAMPING_NEW, times)...)
	c := parseControl(oob)
	if c.of(Software) != 5_000_000_006 || c.of(Hardware) != 7_000_000_008 || string(c.auxiliary) != "auxiliary data of 20" {
		t.Errorf("%+v", c)
	}
	for n := range oob {
		if c := parseControl(oob[:n]); c.software != 0 {
			t.Errorf("%d bytes of %d: %+v", n, len(oob), c)
		}
	}
}

// TestTakesHardware: an interface is taken for one with a clock when it stamps all frames, of both
// ways.
func TestTakesHardware(t *testing.T) {
	all := unix.EthtoolTsInfo{Tx_types: 1 << unix.HWTSTAMP_TX_ON, Rx_filters: 1 << unix.HWTSTAMP_FILTER_ALL,
		So_timestamping: uint32(Hardware.flags())}
	if !takesHardware(&all) {
		t.Error("one that does all is refused")
	}
	for i, edit := range []func(*unix.EthtoolTsInfo){
		func(o *unix.EthtoolTsInfo) { o.Rx_filters = 1 << unix.HWTSTAMP_FILTER_PTP_V2_EVENT },
		func(o *unix.EthtoolTsInfo) { o.Tx_types = 1 << unix.HWTSTAMP_TX_OFF },
		func(o *unix.EthtoolTsInfo) { o.So_timestamping = unix.SOF_TIMESTAMPING_SOFTWARE },
	} {
		o := all
		if edit(&o); takesHardware(&o) {
			t.Errorf("case %d is taken", i)
		}
	}
}
