package pairs

import "github.com/weirnet/weir/plan"

// cookies makes the cookies of the rules of pairs, and reads them. It does not change.
type cookies struct {
	domain uint16
	run    uint16
}

// Cookie returns the cookie of this run's rules of a path; 0 stands for pairs within a switch.
func (c cookies) Cookie(path uint32) uint64 {
	return plan.Cookie{Domain: c.domain, Kind: plan.KindPair, Owner: path, Version: c.run}.Encode()
}

// CookieAt returns the cookie of a path's rules at one hop.
func (c cookies) CookieAt(p *Path, hop int) uint64 {
	if p.cookies != nil {
		return p.cookies[hop]
	}
	return c.Cookie(p.ID)
}

// Ours reports whether a rule with this cookie is a pair's, of any run.
func (c cookies) Ours(cookie uint64) bool {
	is := plan.Decode(cookie)
	return is.Domain == c.domain && is.Kind == plan.KindPair
}

// ThisRun reports whether a cookie is of this run.
func (c cookies) ThisRun(cookie uint64) bool { return plan.Decode(cookie).Version == c.run }

// pathIn returns the number of the path that a cookie names; 0: none, the pair is within a switch.
func pathIn(cookie uint64) uint32 { return plan.Decode(cookie).Owner }

// WithinSwitch reports whether a cookie is that of a rule of a pair within a switch.
func WithinSwitch(cookie uint64) bool { return pathIn(cookie) == 0 }

// WroteIngress reports whether the ingress rule of a flow has this cookie. Within a switch the run does not
// matter.
func (t *Paths) WroteIngress(fl Flow, cookie uint64) bool {
	if fl.Path == 0 {
		return t.Ours(cookie) && WithinSwitch(cookie)
	}
	p := t.Get(fl.Path)
	return p != nil && t.CookieAt(p, 0) == cookie
}

// IngressCookie returns the cookie of a flow's rule at its ingress.
func (t *Paths) IngressCookie(fl Flow) uint64 {
	if p := t.Get(fl.Path); p != nil {
		return t.CookieAt(p, 0)
	}
	return t.Cookie(0)
}
