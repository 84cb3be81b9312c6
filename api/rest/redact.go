package rest

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
)

// redacted stands where something secret was given.
const redacted = "…"

// secretKeys are the names under which secrets are given, in lower case.
var secretKeys = map[string]bool{
	"token": true, "access_token": true, "api_key": true, "apikey": true, "authorization": true, "password": true,
	"passwd": true, "secret": true,
}

// secretText finds such a name with its value in text: JSON, YAML, a query, and what Go prints of a
// map.
var secretText = regexp.MustCompile(`(?i)\b((?:access_)?token|api_?key|authorization|password|passwd|secret)("?\s*[:=]\s*)` +
	`(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|(?:(?:Bearer|Basic)\s+)?[^\s"&,;}\])]+)`)

// secretParts are in every text that secretText can find something in: most texts have none of
// them.
var secretParts = [][]byte{
	[]byte("oken"), []byte("OKEN"), []byte("uthor"), []byte("UTHOR"), []byte("assw"), []byte("ASSW"),
	[]byte("ecret"), []byte("ECRET"),
	[]byte("pi_"), []byte("PI_"), []byte("pik"), []byte("piK"), []byte("PIK"),
}

// IssuedPrefix begins every token that is issued, so that it is known for one wherever it stands.
const IssuedPrefix = "weir_"

// issuedText finds one in text, 256 bits in base64, or what is left of one that was cut.
var issuedText = regexp.MustCompile(IssuedPrefix + `[A-Za-z0-9_-]{16,43}`)

// hideIssued returns a text without tokens that look issued.
func hideIssued(s string) string {
	if !strings.Contains(s, IssuedPrefix) {
		return s
	}
	return issuedText.ReplaceAllLiteralString(s, redacted)
}

// redactText returns what somebody sent, without values of secretKeys and without tokens that look issued.
func redactText(s []byte) []byte {
	if bytes.Contains(s, []byte(IssuedPrefix)) {
		s = issuedText.ReplaceAllLiteral(s, []byte(redacted))
	}
	for _, part := range secretParts {
		if bytes.Contains(s, part) {
			return secretText.ReplaceAll(s, []byte("${1}${2}"+redacted))
		}
	}
	return s
}

// hideQuery returns the query of a request as logs may have it: without values of secretKeys and
// without tokens of ours, wherever they stand. Of a request without a token (anonymous) only
// the names remain: a token in the wrong place may be a good one, or nearly.
func (g *gate) hideQuery(raw string, anonymous bool) string {
	if raw == "" {
		return ""
	}
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, has := strings.Cut(part, "=")
		switch {
		case g.isToken(name) || anonymous && !has:
			name = redacted
		case secretKeys[strings.ToLower(unescape(name))]:
			value = redacted
		}
		if has && (anonymous || g.isToken(value)) {
			value = redacted
		}
		if parts[i] = name; has {
			parts[i] += "=" + value
		}
	}
	return string(redactText([]byte(strings.Join(parts, "&")))) // a ; is no separator for us, and may have been meant as one
}

// hidePath returns the path of a request as logs may have it: without tokens of ours, and, of a
// request without a token, without what begins with a "=", which is a query in the wrong place.
func (g *gate) hidePath(path string, anonymous bool) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		name, _, pair := strings.Cut(part, "=")
		switch {
		case g.isToken(part):
			parts[i] = redacted
		case pair && anonymous:
			parts[i] = name + "=" + redacted
		}
	}
	return strings.Join(parts, "/")
}

// isToken reports whether a part of a request's address is a token of ours.
func (g *gate) isToken(part string) bool {
	if len(part) < minTokenLen {
		return false
	}
	return g.knows(part) || g.knows(unescape(part))
}

func (g *gate) knows(secret string) bool {
	hash := hashOf(secret)
	role, _ := g.keys.role(hash)
	return role != RoleNone || g.issued != nil && g.issued.Knows(hash)
}

// unescape returns a part of a query or a path as it was meant; as it is where it is malformed.
func unescape(s string) string {
	if meant, err := url.QueryUnescape(s); err == nil {
		return meant
	}
	return s
}

// redactUser takes the user and the password out of what is to be a host or an origin.
func redactUser(s string) string {
	at := strings.LastIndexByte(s, '@')
	if at < 0 {
		return s
	}
	begin := 0
	if scheme := strings.Index(s, "://"); scheme >= 0 && scheme < at {
		begin = scheme + len("://")
	}
	return s[:begin] + redacted + s[at:]
}
