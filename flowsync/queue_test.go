package flowsync

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// TestQueueClasses: applications and tenants each have a class, of other kinds all owners together.
func TestQueueClasses(t *testing.T) {
	of := func(k plan.Kind, number uint32) ownerClass { return classOf(&ruleset.Set{Kind: k, Number: number}) }
	for _, same := range [][2]ownerClass{
		{of(plan.KindIntent, 1), of(plan.KindIntent, 1<<30)},
		{of(plan.KindTenant, plan.TenantOwner(5, 0)), of(plan.KindTenant, plan.TenantOwner(5, plan.TenantRowMax))},
		{of(plan.KindApp, plan.AppOwner(5, 1)), of(plan.KindApp, plan.AppOwner(5, plan.AppRuleMax))},
	} {
		if same[0] != same[1] {
			t.Errorf("%x and %x are not one class", same[0], same[1])
		}
	}
	several := []ownerClass{of(plan.KindIntent, 1), of(plan.KindOperator, 1), of(plan.KindTenant, plan.TenantOwner(5, 1)),
		of(plan.KindTenant, plan.TenantOwner(6, 1)), of(plan.KindApp, plan.AppOwner(5, 1)),
		of(plan.KindApp, plan.AppOwner(4095, 1))}
	if slices.Sort(several); len(slices.Compact(several)) != 6 {
		t.Errorf("classes %x, want six", several)
	}
}

// popAll takes what waits, n rows at most.
func popAll(q *rowQueue, n int) (rows []uint32) {
	for len(rows) < n {
		row, ok := q.pop()
		if !ok {
			break
		}
		rows = append(rows, row)
	}
	return rows
}

// TestQueueTurns: few rows go before the rest of many, two with many take turns, and one that ends and begins again and
// again does not hold up the others.
func TestQueueTurns(t *testing.T) {
	var q rowQueue
	for i := range uint32(100_000) {
		q.push(i, 1)
	}
	popAll(&q, 3*quantum)
	for i := range uint32(10) {
		q.push(1_000_000+i, 2)
	}
	if got := popAll(&q, 11); got[0] != 1_000_000 || got[9] != 1_000_009 || got[10] != 3*quantum {
		t.Errorf("of ten beside many came %d", got)
	}
	for i := range uint32(2 * quantum) {
		q.push(2_000_000+i, 3)
	}
	got := popAll(&q, 4*quantum)
	if many := slices.IndexFunc(got, func(r uint32) bool { return r < 1_000_000 }); many != quantum {
		t.Errorf("after %d rows of the one that began, want %d", many, quantum)
	}
	if n := len(slices.DeleteFunc(slices.Clone(got), func(r uint32) bool { return r < 2_000_000 })); n != 2*quantum {
		t.Errorf("%d of %d rows are of the second, want its share, %d", n, 4*quantum, 2*quantum)
	}
	mine := 0
	for range 1000 { // another has one row whenever a row is taken
		q.push(3_000_000, 4)
		if popAll(&q, 1)[0] < 1_000_000 {
			mine++
		}
	}
	if mine < 400 {
		t.Errorf("of 1,000 rows %d are of the one with many, want about half", mine)
	}
}

// check verifies what must hold of a queue, and returns the rows that wait.
func (q *rowQueue) check(t tester) (rows []uint32) {
	t.Helper()
	lines := 0
	for _, turns := range []turns{q.fresh, q.turned} {
		last := (*rowLine)(nil)
		for l := turns.first; l != nil; l, last = l.next, l {
			if lines++; q.lines[l.class] != l || l.credit < 0 || l.credit > quantum {
				t.Fatalf("class %x has a line with a credit of %d, and is known: %t", l.class, l.credit, q.lines[l.class] == l)
			}
			rows = append(rows, l.rows[l.head:]...)
		}
		if last != turns.last {
			t.Fatalf("the last of the lines is %v, not %v", turns.last, last)
		}
	}
	known := q.last == nil || q.lines[q.last.class] == q.last
	if lines != len(q.lines) || len(rows) != q.count || q.count == 0 && lines > 0 || !known {
		t.Fatalf("%d lines are known as %d, of %d rows %d are counted", lines, len(q.lines), len(rows), q.count)
	}
	return rows
}

// TestQueueModel: no row is lost, those of a class come in order, and nothing is left of classes without rows.
func TestQueueModel(t *testing.T) {
	need.OneGoroutine(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var q rowQueue
		model := make(map[ownerClass][]uint32)
		classes := ownerClass(1 + r.IntN(20))
		next, waiting, idle := uint32(0), 0, 0
		of := make(map[uint32]ownerClass)
		for range 2000 {
			c := r.Uint32N(uint32(classes))
			switch {
			case r.IntN(20) == 0:
				var back []uint32
				for range r.IntN(40) {
					if row, ok := q.pop(); ok {
						back = append(back, row)
					}
				}
				for _, row := range slices.Backward(back) {
					q.unshift(row, of[row])
				}
			case r.IntN(2) == 0:
				for range r.IntN(100) {
					q.push(next, ownerClass(c))
					model[ownerClass(c)], of[next] = append(model[ownerClass(c)], next), ownerClass(c)
					next++
					waiting++
				}
			default:
				for range r.IntN(120) {
					row, ok := q.pop()
					if ok != (waiting > 0) {
						t.Fatalf("a row: %v, and %d wait", ok, waiting)
					}
					if !ok {
						break
					}
					waiting--
					if line := model[of[row]]; line[0] != row {
						t.Fatalf("row %d came before %d of its class", row, line[0])
					}
					model[of[row]] = model[of[row]][1:]
				}
			}
			if q.count != waiting {
				t.Fatalf("%d rows are counted of %d", q.count, waiting)
			}
			if q.check(t); waiting == 0 {
				idle++
			}
		}
		if idle == 0 {
			t.Error("the queue was never empty")
		}
	}
}

// TestQueueBudget: rows allocate nothing but the memory of their line as it grows.
func TestQueueBudget(t *testing.T) {
	need.NoRace(t)
	var q rowQueue
	for classes, budget := range map[uint32]float64{1: 0, 8: 0.1} {
		turn := func() {
			for i := range uint32(500) {
				q.push(i, ownerClass(i%classes))
			}
			for q.count > 0 {
				q.pop()
			}
		}
		turn()
		if each := testing.AllocsPerRun(10, turn) / 500; each > budget {
			t.Errorf("%g allocations a row of %d classes", each, classes)
		}
	}
}

// BenchmarkQueue has 256 rows wait and go.
func BenchmarkQueue(b *testing.B) {
	for _, classes := range []uint32{1, 8, 64} {
		b.Run(fmt.Sprintf("classes=%d", classes), func(b *testing.B) {
			var q rowQueue
			for b.Loop() {
				for i := range uint32(256) {
					q.push(i, ownerClass(i%classes))
				}
				for q.count > 0 {
					q.pop()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/256/float64(b.N), "ns/row")
		})
	}
}
