package conflict

import (
	"slices"

	"github.com/weirnet/weir/numbered"
	"github.com/weirnet/weir/ruleset"
)

// ruleClass is a priority and a shape: two rules of one class match the same packets, or have none
// in common.
type ruleClass struct {
	priority uint16
	shape    Shape
}

func classOf(g *ruleset.Set, leg int) ruleClass {
	return ruleClass{g.Priority, ShapeOf(g.Legs[leg].Match)}
}

// ruleClasses are the classes of the installed rules, each once: most networks have a few.
type ruleClasses struct {
	list    numbered.Slots[countedClass]
	byClass map[ruleClass]uint32
	last    uint32 // cache: result of the last find
}

type countedClass struct {
	ruleClass
	paths int // that have such rules
}

func newRuleClasses() ruleClasses {
	return ruleClasses{byClass: make(map[ruleClass]uint32)}
}

// at returns the class of a number in use.
func (k *ruleClasses) at(number uint32) *countedClass { return &k.list.List()[number] }

// find returns the number of a class; 0 if there is none.
func (k *ruleClasses) find(of ruleClass) uint32 {
	if k.last == 0 || k.at(k.last).ruleClass != of {
		k.last = k.byClass[of]
	}
	return k.last
}

// addPaths adds to the number of paths that have rules of a class.
func (k *ruleClasses) addPaths(number uint32, more int) {
	c := k.at(number)
	if c.paths += more; c.paths == 0 {
		delete(k.byClass, c.ruleClass)
		k.list.Remove(number)
		k.last = 0
	}
}

// intern returns the number of a class, allocated if necessary.
func (k *ruleClasses) intern(of ruleClass) uint32 {
	if n := k.find(of); n != 0 {
		return n
	}
	k.last = k.list.Add(countedClass{ruleClass: of})
	k.byClass[of] = k.last
	return k.last
}

// othersMayOverlap reports whether there are rules of the same priority and of another shape that
// may match packets of a class; at an ingress also if both fix the sender.
func (k *ruleClasses) othersMayOverlap(t classCounts, of ruleClass, ingress bool) bool {
	for i := range t {
		if o := &k.at(t[i].class).ruleClass; *o != of && o.priority == of.priority &&
			(ingress || !of.shape.Source || !o.shape.Source) {
			return true
		}
	}
	return false
}

// classCount counts rules, or paths, by the number of their class.
type classCount struct{ class, count uint32 }

// classCounts are the counts of one path, or of one in port. Most have one class.
type classCounts []classCount

// index returns the index of a class, -1 if it is not counted.
func (t classCounts) index(class uint32) int {
	return slices.IndexFunc(t, func(k classCount) bool { return k.class == class })
}

// add reports whether it is the first of its class.
func (t *classCounts) add(class uint32) bool {
	i := t.index(class)
	if i < 0 {
		*t = append(*t, classCount{class, 1})
		return true
	}
	(*t)[i].count++
	return false
}

// remove reports whether it was the last of its class.
func (t *classCounts) remove(class uint32) bool {
	i := t.index(class)
	if i < 0 || (*t)[i].count > 1 {
		if i >= 0 {
			(*t)[i].count--
		}
		return false
	}
	*t = slices.Delete(*t, i, i+1)
	return true
}
