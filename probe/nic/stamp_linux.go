package nic

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/weirnet/weir/netdev"
	"github.com/weirnet/weir/probe"
)

// flags are those of SO_TIMESTAMPING (Documentation/networking/timestamping.rst).
func (s Stamps) flags() int {
	if s == Hardware {
		return unix.SOF_TIMESTAMPING_TX_HARDWARE | unix.SOF_TIMESTAMPING_RX_HARDWARE | unix.SOF_TIMESTAMPING_RAW_HARDWARE
	}
	return unix.SOF_TIMESTAMPING_TX_SOFTWARE | unix.SOF_TIMESTAMPING_RX_SOFTWARE | unix.SOF_TIMESTAMPING_SOFTWARE
}

// chooseStamps decides between hardware and software by what the interface offers, and switches
// hardware stamps on. It runs in the interface's namespace.
func (n *NIC) chooseStamps() error {
	if n.cfg.Stamps == Software {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	offers, err := unix.IoctlGetEthtoolTsInfo(fd, n.cfg.Interface)
	if err != nil || !takesHardware(offers) {
		if n.cfg.Stamps == Best {
			return nil
		}
		return &probe.Refusal{Why: probe.ErrHardware, Seen: n.cfg.String() + " has no clock for all frames, of both ways",
			Want: "one", Do: "use software stamps, or another interface (ethtool -T " + n.cfg.Interface + ")"}
	}
	if err := n.switchHardware(fd); err != nil {
		return err
	}
	n.stamps = Hardware
	return nil
}

// takesHardware reports whether an interface stamps every frame, of both ways.
func takesHardware(offers *unix.EthtoolTsInfo) bool {
	const both = unix.SOF_TIMESTAMPING_TX_HARDWARE | unix.SOF_TIMESTAMPING_RX_HARDWARE | unix.SOF_TIMESTAMPING_RAW_HARDWARE
	return offers.So_timestamping&both == both && offers.Tx_types&(1<<unix.HWTSTAMP_TX_ON) != 0 &&
		offers.Rx_filters&(1<<unix.HWTSTAMP_FILTER_ALL) != 0
}

// switchHardware has the interface stamp all frames. What it did before is noted first.
func (n *NIC) switchHardware(fd int) error {
	before, err := unix.IoctlGetHwTstamp(fd, n.cfg.Interface)
	if err != nil {
		before = &unix.HwTstampConfig{}
	}
	if before.Tx_type == unix.HWTSTAMP_TX_ON && before.Rx_filter == unix.HWTSTAMP_FILTER_ALL {
		return nil
	}
	if n.note == nil {
		return &probe.Refusal{Why: probe.ErrHardware, Seen: n.cfg.String() + " does not stamp frames, and is to stay as it is",
			Want: "it switched on", Do: "open it without --keep-offloads"}
	}
	n.note.Stamps = &hardwareStamps{before.Tx_type, before.Rx_filter}
	if err := n.note.write(); err != nil {
		return err
	}
	on := unix.HwTstampConfig{Tx_type: unix.HWTSTAMP_TX_ON, Rx_filter: unix.HWTSTAMP_FILTER_ALL}
	if err := unix.IoctlSetHwTstamp(fd, n.cfg.Interface, &on); err != nil {
		return fmt.Errorf("hardware time stamps: %w", err)
	}
	return nil
}

// control is what the control messages of a frame say.
type control struct {
	software, hardware int64 // ns; 0: none
	auxiliary          []byte
}

// parseControl reads the control messages of a frame.
func parseControl(oob []byte) (c control) {
	for len(oob) > 0 {
		h, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			return c
		}
		if software, hardware, ok := netdev.Times(h, data); ok {
			c.software, c.hardware = software, hardware
		} else if h.Level == unix.SOL_PACKET && h.Type == unix.PACKET_AUXDATA {
			c.auxiliary = data
		}
		oob = rest
	}
	return c
}

// of is the stamp of those who take them.
func (c *control) of(s Stamps) int64 {
	if s == Hardware {
		return c.hardware
	}
	return c.software
}
