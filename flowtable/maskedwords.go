package flowtable

import "math/bits"

// maskedWords are the words that have bits in a mask, with those bits: what a hash table for that mask
// looks at.
type maskedWords struct {
	mask  words
	words []uint8  // by rising number
	masks []uint64 // those of words
	lanes []lane
}

// lane is two words with their masks, which are hashed in one step; of an odd number of words the
// last lane has a mask of 0.
type lane struct {
	mask, mask2 uint64
	word, word2 uint8
}

func choose(mask *words) maskedWords {
	c := maskedWords{mask: *mask}
	n := 0
	for _, m := range mask {
		if m != 0 {
			n++
		}
	}
	c.words, c.masks, c.lanes = make([]uint8, 0, n), make([]uint64, 0, n), make([]lane, 0, (n+1)/2)
	for i, m := range mask {
		if m == 0 {
			continue
		}
		if len(c.words)%2 == 0 {
			c.lanes = append(c.lanes, lane{mask: m, word: uint8(i)})
		} else {
			l := &c.lanes[len(c.lanes)-1]
			l.mask2, l.word2 = m, uint8(i)
		}
		c.words, c.masks = append(c.words, uint8(i)), append(c.masks, m)
	}
	return c
}

// hash is the hash of the masked words; its high bits are the best ones.
func (c *maskedWords) hash(seed uint64, k *words) uint64 {
	for i := range c.lanes {
		l := &c.lanes[i]
		seed = mix(seed, k[l.word%numWords]&l.mask, k[l.word2%numWords]&l.mask2)
	}
	return seed
}

// same reports whether key are the masked words of k.
func (c *maskedWords) same(key []uint64, k *words) bool {
	masks := c.masks[:len(c.words)]
	key = key[:len(c.words)]
	for i, w := range c.words {
		if k[w%numWords]&masks[i] != key[i] {
			return false
		}
	}
	return true
}

// copy writes the masked words of k into key.
func (c *maskedWords) copy(key []uint64, k *words) {
	for i, w := range c.words {
		key[i] = k[w%numWords] & c.masks[i]
	}
}

// Odd constants with about as many ones as zeros; any would do.
const (
	mix1 = 0x9e3779b97f4a7c15
	mix2 = 0xd1b54a32d192ed03
)

// mix folds two words into a hash by a multiplication of 128 bits.
func mix(h, a, b uint64) uint64 {
	hi, lo := bits.Mul64(h^a^mix1, b^mix2)
	return hi ^ lo
}
