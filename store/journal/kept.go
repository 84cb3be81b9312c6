package journal

import (
	"bytes"
	"slices"
)

// Kept is a Sink that keeps the records as they are, for who decodes them later. The zero Kept has none.
type Kept struct {
	data map[uint32][]byte
	turn map[uint32]uint64 // when each was taken
	last uint64
}

// Reset implements Sink.
func (k *Kept) Reset() { *k = Kept{data: make(map[uint32][]byte), turn: make(map[uint32]uint64)} }

// Take implements Sink.
func (k *Kept) Take(r Record) error {
	if r.Delete {
		delete(k.data, r.Number)
		delete(k.turn, r.Number)
		return nil
	}
	if k.data == nil {
		k.Reset()
	}
	k.last++
	k.data[r.Number], k.turn[r.Number] = bytes.Clone(r.Data), k.last
	return nil
}

// Each yields what is kept, as Journal.Load does, and keeps nothing any more. An error of yield ends it and is returned.
func (k *Kept) Each(yield func(Record) error) error {
	list := make([]uint32, 0, len(k.data))
	for number := range k.data {
		list = append(list, number)
	}
	slices.SortFunc(list, func(a, b uint32) int { return compare(k.turn[a], k.turn[b]) })
	data := k.data
	k.Reset()
	for _, number := range list {
		if err := yield(Record{Number: number, Data: data[number]}); err != nil {
			return err
		}
	}
	return nil
}
