package netdev

import (
	"fmt"
	"slices"
	"strings"

	"github.com/safchain/ethtool"
)

// Offload is a set of features of a device that make frames other than they are on the wire.
type Offload int

const (
	// Transmit cuts and completes frames after they were sent: segmentation and checksums.
	Transmit Offload = 1 << iota
	// Receive merges frames before they are received: GRO and LRO.
	Receive
)

// transforms reports whether a feature, as ethtool names it, is one of the set.
func (o Offload) transforms(feature string) bool {
	switch {
	case strings.HasPrefix(feature, "tx-checksum-") && feature != "tx-checksum-fcoe-crc",
		feature == "tx-generic-segmentation", feature == "tx-gso-list", feature == "tx-scatter-gather-fraglist",
		strings.HasPrefix(feature, "tx-tcp") && strings.HasSuffix(feature, "-segmentation"),
		feature == "tx-udp-segmentation", feature == "tx-sctp-segmentation":
		return o&Transmit != 0
	case strings.HasPrefix(feature, "rx-gro"), feature == "rx-lro", feature == "rx-udp-gro-forwarding":
		return o&Receive != 0
	}
	return false
}

// alters reports whether a feature merges or cuts frames. One that only fills checksums in leaves
// their number and their length as they are.
func alters(feature string) bool { return !strings.HasPrefix(feature, "tx-checksum-") }

// Active lists the features of the set that a device of the thread's namespace has switched on, in
// order of their names.
func (o Offload) Active(device string) (list []string, err error) {
	tool, err := ethtool.NewEthtool()
	if err != nil {
		return nil, err
	}
	defer tool.Close()
	has, err := tool.Features(device)
	if err != nil {
		return nil, fmt.Errorf("offloads: %w", err)
	}
	for feature, on := range has {
		if on && o.transforms(feature) {
			list = append(list, feature)
		}
	}
	slices.Sort(list)
	return list, nil
}

// Switch switches features of a device of the thread's namespace on or off, and returns those that
// merge or cut frames and that could not be switched off.
func Switch(device string, features []string, on bool) (left []string, err error) {
	tool, err := ethtool.NewEthtool()
	if err != nil {
		return nil, err
	}
	defer tool.Close()
	wanted := map[string]bool{}
	for _, f := range features {
		wanted[f] = on
	}
	if err := tool.Change(device, wanted); err != nil || on {
		return nil, err
	}
	has, err := tool.Features(device)
	if err != nil {
		return nil, fmt.Errorf("offloads: %w", err)
	}
	for _, f := range features {
		if has[f] && alters(f) {
			left = append(left, f)
		}
	}
	return left, nil
}
