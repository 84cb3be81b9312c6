package verify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"
)

// sampleDatabase is a database as etcd makes it, with so many keys.
func sampleDatabase(t testing.TB, keys int, freelist bool) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	db, err := bolt.Open(path, 0o600, &bolt.Options{PageSize: 4096, NoFreelistSync: !freelist, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 { // so that there are free pages
		err = db.Update(func(tx *bolt.Tx) error {
			meta, err := tx.CreateBucketIfNotExists([]byte("meta"))
			if err != nil {
				return err
			}
			key, err := tx.CreateBucketIfNotExists([]byte("key"))
			if err != nil {
				return err
			}
			for i := range keys {
				rev := uint64(i + 2)
				k := binary.BigEndian.AppendUint64(append(binary.BigEndian.AppendUint64(nil, rev), '_'), 0)
				v := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), fmt.Appendf(nil, "k%d", i))
				v = protowire.AppendVarint(protowire.AppendTag(v, 3, protowire.VarintType), rev)
				v = protowire.AppendBytes(protowire.AppendTag(v, 5, protowire.BytesType),
					bytes.Repeat([]byte{byte(i)}, 1+i*37%9000))
				if err := key.Put(k, v); err != nil {
					return err
				}
			}
			return meta.Put([]byte("consistent_index"), binary.BigEndian.AppendUint64(nil, uint64(40+round)))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readBytes(b []byte) (Database, error) {
	return readDatabase(bytes.NewReader(b), "db", int64(len(b)))
}

// TestDatabases: a whole database is read to its end; one that is cut is refused at any length.
func TestDatabases(t *testing.T) {
	for _, keys := range []int{0, 1, 50, 700} {
		for _, freelist := range []bool{false, true} {
			b := sampleDatabase(t, keys, freelist)
			want := Database{Index: 41}
			if keys > 0 {
				want.Revision = int64(keys + 1)
			}
			if got, err := readBytes(b); err != nil || got != want {
				t.Errorf("%d keys: %+v, %v", keys, got, err)
			}
			h := header{}
			for _, at := range []int{0, 4096} {
				if n, ok := parseHeader(b[at+pageHead:]); ok && n.txid > h.txid {
					h = n
				}
			}
			for n := 0; n < int(h.used)*4096; n += 1000 {
				if _, err := readBytes(b[:n]); !isDamage(err) {
					t.Fatalf("cut to %d of %d: %v", n, len(b), err)
				}
			}
		}
	}
	if _, err := ReadDatabase(filepath.Join(t.TempDir(), "db")); !isDamage(err) ||
		!strings.Contains(err.Error(), "weir restore") {
		t.Errorf("no file: %v", err)
	}
}

func isDamage(err error) bool {
	var d *Damage
	return errors.As(err, &d)
}

// TestDamagedPages: whatever one bit or one page does to a database, bbolt can open what is
// accepted, and goes through it without a panic.
func TestDamagedPages(t *testing.T) {
	b := sampleDatabase(t, 40, false)
	refused, accepted := 0, 0
	try := func(b []byte) {
		if _, err := readBytes(b); err != nil {
			refused++
			return
		}
		accepted++
		path := filepath.Join(t.TempDir(), "db")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := bolt.Open(path, 0o600, &bolt.Options{NoFreelistSync: true, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.View(func(tx *bolt.Tx) error {
			return tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return b.ForEach(func(k, v []byte) error { return nil }) })
		}); err != nil {
			t.Fatal(err)
		}
	}
	for at := 0; at < len(b); at += 4099 { // heads and elements of pages, too
		for _, place := range []int{at, at &^ 4095, at&^4095 + 8 + at%8, at&^4095 + 16 + at%64} {
			spoilt := append([]byte{}, b...)
			spoilt[min(place, len(b)-1)] ^= 1 << (at % 8)
			try(spoilt)
		}
	}
	for at := 0; at < len(b); at += 4096 * 8 {
		spoilt := append([]byte{}, b...)
		clear(spoilt[at : at+4096])
		try(spoilt)
	}
	if refused < 20 || accepted < 20 {
		t.Errorf("%d refused, %d accepted", refused, accepted)
	}
}

// FuzzDatabase: any bytes are read without a panic.
func FuzzDatabase(f *testing.F) {
	for _, keys := range []int{0, 3, 40} {
		f.Add(sampleDatabase(f, keys, keys == 3))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := readBytes(b); err != nil && !isDamage(err) {
			t.Error(err)
		}
	})
}
