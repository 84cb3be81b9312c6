package journal

import "log/slog"

// trouble is why nothing can be committed, as Config.Trouble was told.
type trouble struct {
	report func(reason string) // may be nil
	log    *slog.Logger
	prefix string // of the journal
	reason string // empty: there is none
}

// set reports the reason, if it is another one.
func (t *trouble) set(reason string) {
	if reason == t.reason {
		return
	}
	t.reason = reason
	if t.report != nil {
		t.report(reason)
	}
	if reason != "" {
		t.log.Error("the journal cannot commit", "journal", t.prefix, "reason", reason)
		return
	}
	t.log.Info("the journal commits again", "journal", t.prefix)
}
