package verify

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// content is what the keys and values of etcd's buckets have to look like, and what is noted of
// them; "": of all others.
var content = map[string]func(out *Database, key, value []byte) bool{
	"key":  change,
	"meta": meta,
	"":     func(*Database, []byte, []byte) bool { return true },
}

// change is a key that was put or deleted: under its revision, main and sub.
func change(out *Database, key, value []byte) bool {
	deleted := len(key) == 18 && key[17] == 't'
	if len(key) != 17 && !deleted || key[8] != '_' {
		return false
	}
	main, sub := int64(binary.BigEndian.Uint64(key)), int64(binary.BigEndian.Uint64(key[9:]))
	if main < 1 || sub < 0 {
		return false
	}
	named, at := false, uint64(0)
	ok := fields(value, func(number protowire.Number, n uint64, data []byte) {
		switch number {
		case 1:
			named = len(data) > 0
		case 3:
			at = n
		}
	})
	if !ok || !named || at != uint64(main) && !deleted {
		return false
	}
	out.Revision = max(out.Revision, main)
	return true
}

// meta is what etcd notes of itself.
func meta(out *Database, key, value []byte) bool {
	switch string(key) {
	case "consistent_index":
		if len(value) != 8 {
			return false
		}
		out.Index = binary.BigEndian.Uint64(value)
	case "term":
		return len(value) == 8
	case "scheduledCompactRev", "finishedCompactRev":
		return len(value) == 17
	}
	return true
}
