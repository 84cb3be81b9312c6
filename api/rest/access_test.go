package rest

import (
	"crypto/sha256"
	"net/http/httptest"
	"testing"

	"github.com/weirnet/weir/internal/need"
)

// issued is one token that was issued.
type issued struct {
	hash  [sha256.Size]byte
	grant *Grant
}

func (i *issued) Use(hash [sha256.Size]byte) *Grant {
	if hash != i.hash {
		return nil
	}
	return i.grant
}

func (i *issued) Knows(hash [sha256.Size]byte) bool { return hash == i.hash }

const (
	fileToken   = "tN89NB6fa1L9qwj0RbX4K9cPbUaKLdWY5EjSMSCgkKo"
	issuedToken = IssuedPrefix + "UyzjIIk-hV_cg_53qP019INJszhbJuqgHLbUvSnutWM"
)

func gateWithIssued() (*gate, *Grant) {
	grant := NewGrant("ci", RoleOperator)
	g := newGate(Access{Tokens: []Token{{Role: RoleAdmin, Secret: fileToken}}, Issued: &issued{hashOf(issuedToken), grant}})
	return &g, grant
}

// TestCheckBudget: a check allocates nothing, whether the token is that of a file, or was issued.
func TestCheckBudget(t *testing.T) {
	need.NoRace(t)
	g, _ := gateWithIssued()
	for _, token := range []string{fileToken, issuedToken} {
		r := httptest.NewRequest("GET", "/v1/links", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		by := new(Actor)
		if n := testing.AllocsPerRun(100, func() {
			if no := g.authorize(r, RoleOperator, by); no != nil {
				t.Fatal(no)
			}
		}); n > 0 {
			t.Errorf("as %s: %v allocations", by.Name, n)
		}
	}
}

// TestGrantEnds: a context of a request ends with its token, and one of another, or of none, does not.
func TestGrantEnds(t *testing.T) {
	_, grant := gateWithIssued()
	told := make(chan *Refusal, 1)
	until, done := Actor{grant: grant}.Until(t.Context(), func(no *Refusal) { told <- no })
	wrong := func(*Refusal) { t.Error("another is over") }
	other, otherDone := Actor{grant: NewGrant("other", RoleViewer)}.Until(t.Context(), wrong)
	none, noneDone := Actor{}.Until(t.Context(), wrong)
	if grant.Ended() != nil || EndOfToken(until) != nil {
		t.Error("over at once")
	}
	grant.End("because")
	grant.End("again")
	<-until.Done()
	if no := <-told; no.Detail != "because" || no.Status != 401 || EndOfToken(until) != no || grant.Ended() != no {
		t.Errorf("%v, want because", no)
	}
	done()
	otherDone()
	noneDone()
	if other.Err() == nil || EndOfToken(other) != nil || none.Err() != nil {
		t.Errorf("the others: %v, %v", other.Err(), none.Err())
	}
}
