package verify

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// content are the checks of keys and values, by bucket; "" is for all others. They update the
// Database.
var content = map[string]func(out *Database, key, value []byte) bool{
	"key":  change,
	"meta": meta,
	"":     func(*Database, []byte, []byte) bool { return true },
}

// change checks a revision of a key: its key in the bucket is the revision, main and sub.
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

// meta checks etcd's own state.
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
