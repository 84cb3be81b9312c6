package etcd

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"go.uber.org/zap/zapcore"
)

// zapBridge forwards etcd's logs: fatal ones as errors, errors and warnings as debug (a first start
// has some; relevant ones are returned by calls), the rest is dropped.
type zapBridge struct {
	log     *slog.Logger
	fields  []zapcore.Field
	removed *atomic.Bool // another member has said that this one was removed; etcd tells its log alone
}

// level maps a level of zap to one of slog.
func level(l zapcore.Level) slog.Level {
	if l > zapcore.ErrorLevel {
		return slog.LevelError
	}
	return slog.LevelDebug
}

// Enabled implements zapcore.LevelEnabler.
func (b *zapBridge) Enabled(l zapcore.Level) bool {
	return l >= zapcore.WarnLevel
}

// With implements zapcore.Core.
func (b *zapBridge) With(fields []zapcore.Field) zapcore.Core {
	return &zapBridge{b.log, append(b.fields[:len(b.fields):len(b.fields)], fields...), b.removed}
}

// Check implements zapcore.Core.
func (b *zapBridge) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if b.Enabled(e.Level) {
		return checked.AddCore(e, b)
	}
	return checked
}

// Write implements zapcore.Core.
func (b *zapBridge) Write(e zapcore.Entry, fields []zapcore.Field) error {
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok && strings.Contains(err.Error(), "permanently removed from the cluster") {
			b.removed.Store(true)
		}
	}
	if !b.log.Enabled(context.Background(), level(e.Level)) {
		return nil
	}
	encoded := zapcore.NewMapObjectEncoder()
	for _, list := range [][]zapcore.Field{b.fields, fields} {
		for _, f := range list {
			f.AddTo(encoded)
		}
	}
	b.log.Log(context.Background(), level(e.Level), "etcd: "+e.Message, "fields", encoded.Fields)
	return nil
}

// Sync implements zapcore.Core.
func (b *zapBridge) Sync() error { return nil }
