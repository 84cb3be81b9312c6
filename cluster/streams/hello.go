package streams

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/weirnet/weir/cluster/liveness"
)

// Path is where Handler answers, on the peer port.
const Path = "/weir/streams"

// protocol is the name in the header Upgrade.
const protocol = "weir-streams"

// The versions of what is spoken after the handshake, oldest and newest. An instance that speaks several lets ones of two
// versions form a cluster while it is upgraded.
const (
	oldestVersion = 1
	newestVersion = 1
)

// lane is one of the connections between two instances.
type lane uint8

// The lanes. Each has a connection of its own, so that none waits for another: docs/design/0016-streams.md.
const (
	beats    lane = iota // heartbeats
	messages             // messages, requests and answers
	bulk                 // bulk streams
	lanes
)

var laneNames = [lanes]string{"beats", "messages", "bulk"}

// String is the name in the handshake.
func (l lane) String() string { return laneNames[l] }

// versions are those that an instance speaks, both included.
type versions struct{ oldest, newest int }

func (v versions) String() string { return fmt.Sprintf("%d-%d", v.oldest, v.newest) }

// common is the newest version that both speak, 0 if there is none.
func (v versions) common(w versions) int {
	if newest := min(v.newest, w.newest); newest >= max(v.oldest, w.oldest) {
		return newest
	}
	return 0
}

// hello is what an instance says of itself when it calls another, or is called.
type hello struct {
	cluster uint64
	life    liveness.Life
	name    string
	speaks  versions // of an answer: the one that is spoken
	lane    lane
	to      ID // whom it wants to reach
}

// Headers of the handshake: numbers are hexadecimal, names are escaped as in a URL's path.
const (
	headerCluster     = "Weir-Cluster"
	headerInstance    = "Weir-Instance"
	headerName        = "Weir-Name"
	headerIncarnation = "Weir-Incarnation"
	headerVersions    = "Weir-Versions"
	headerLane        = "Weir-Lane"
	headerTo          = "Weir-To"
)

func hex(n uint64) string { return strconv.FormatUint(n, 16) }

// fill puts a hello into the headers of a request or an answer.
func (h *hello) fill(to http.Header) {
	for name, value := range map[string]string{
		"Connection": "Upgrade", "Upgrade": protocol, headerCluster: hex(h.cluster), headerInstance: hex(uint64(h.life.ID)),
		headerIncarnation: hex(h.life.Incarnation), headerName: url.PathEscape(h.name), headerVersions: h.speaks.String(),
		headerLane: h.lane.String(), headerTo: hex(uint64(h.to)),
	} {
		to.Set(name, value)
	}
}

// maxName bounds the name of an instance, in bytes.
const maxName = 255

// parseHello reads a hello out of headers.
func parseHello(from http.Header) (h hello, err error) {
	number := func(name string) uint64 {
		n, bad := strconv.ParseUint(from.Get(name), 16, 64)
		if (bad != nil || n == 0) && err == nil {
			err = fmt.Errorf("header %s: %.40q given, want a hexadecimal number from 1 on", name, from.Get(name))
		}
		return n
	}
	h.cluster = number(headerCluster)
	h.life = liveness.Life{ID: ID(number(headerInstance)), Incarnation: number(headerIncarnation)}
	h.to = ID(number(headerTo))
	if err != nil {
		return h, err
	}
	if h.name, err = url.PathUnescape(from.Get(headerName)); err != nil || h.name == "" || len(h.name) > maxName ||
		h.name != printable(h.name) {
		return h, fmt.Errorf("header %s: %.40q given, want a name of 1 to %d bytes that can be printed, escaped", headerName, from.Get(headerName), maxName)
	}
	if h.speaks, err = parseVersions(from.Get(headerVersions)); err != nil {
		return h, err
	}
	for i, name := range laneNames {
		if from.Get(headerLane) == name {
			h.lane = lane(i)
			return h, nil
		}
	}
	known := strings.Join(laneNames[:], ", ")
	return h, fmt.Errorf("header %s: %.40q given, want one of %s", headerLane, from.Get(headerLane), known)
}

// parseVersions reads OLDEST-NEWEST.
func parseVersions(s string) (v versions, err error) {
	oldest, newest, _ := strings.Cut(s, "-")
	if v.oldest, err = strconv.Atoi(oldest); err == nil {
		v.newest, err = strconv.Atoi(newest)
	}
	if err != nil || v.oldest < 1 || v.newest < v.oldest {
		return v, fmt.Errorf("header %s: %.40q given, want OLDEST-NEWEST, such as 1-2", headerVersions, s)
	}
	return v, nil
}

// identity is what an instance checks others against.
type identity struct {
	cluster uint64
	life    liveness.Life
	name    string
	speaks  versions
}

// judge reports why another instance is not spoken to, in one line, or the version that both speak. The other one called,
// or was called as the instance h.to; peers are the members.
func (own *identity) judge(h *hello, peers map[ID]Peer) (version int, err error) {
	them := instance(h.name, h.life.ID)
	if h.cluster != own.cluster {
		return 0, fmt.Errorf("%s is in cluster %x, %s in cluster %x: start one of them with an empty data directory and --join",
			them, h.cluster, instance(own.name, own.life.ID), own.cluster)
	}
	if h.life.ID == own.life.ID {
		if h.life.Incarnation == own.life.Incarnation {
			return 0, fmt.Errorf("%s has called itself: a member's address is not its own", them)
		}
		return 0, fmt.Errorf("%s runs twice: two processes have copies of one data directory, stop one and remove its copy", them)
	}
	if h.name == own.name {
		return 0, fmt.Errorf("two instances are named %q, %x and %x: give one another --name", own.name, uint64(own.life.ID), uint64(h.life.ID))
	}
	listed, member := peers[h.life.ID]
	if !member {
		return 0, fmt.Errorf("%s is not a member of the cluster of %s, or not yet", them, instance(own.name, own.life.ID))
	}
	for _, p := range peers {
		if p.ID != h.life.ID && p.Name == h.name {
			return 0, fmt.Errorf("two instances are named %q, %x and %x: give one another --name", h.name, uint64(p.ID), uint64(h.life.ID))
		}
	}
	if listed.Name != "" && listed.Name != h.name {
		return 0, fmt.Errorf("%s is a member as %q: start it with --name %s", them, listed.Name, listed.Name)
	}
	if version = own.speaks.common(h.speaks); version == 0 {
		return 0, fmt.Errorf("%s speaks versions %v of this protocol, %s versions %v: upgrade the older one",
			them, h.speaks, instance(own.name, own.life.ID), own.speaks)
	}
	return version, nil
}

// called reports why a call is not for this instance.
func (own *identity) called(h *hello) error {
	if h.to != own.life.ID {
		return fmt.Errorf("%s has called instance %x, and this is %s: addresses of members are mixed up",
			instance(h.name, h.life.ID), uint64(h.to), instance(own.name, own.life.ID))
	}
	return nil
}
