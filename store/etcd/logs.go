package etcd

import (
	"context"
	"log/slog"

	"go.uber.org/zap/zapcore"
)

// bridge hands etcd's logs on: what ends the process as errors, its errors and warnings as debug (a first start has some; what
// matters comes back as errors of calls), the rest not at all.
type bridge struct {
	log    *slog.Logger
	fields []zapcore.Field
}

// level is what a level of etcd's is here.
func level(l zapcore.Level) slog.Level {
	if l > zapcore.ErrorLevel {
		return slog.LevelError
	}
	return slog.LevelDebug
}

// Enabled is of zapcore.LevelEnabler.
func (b *bridge) Enabled(l zapcore.Level) bool {
	return l >= zapcore.WarnLevel && b.log.Enabled(context.Background(), level(l))
}

// With is of zapcore.Core.
func (b *bridge) With(fields []zapcore.Field) zapcore.Core {
	return &bridge{b.log, append(b.fields[:len(b.fields):len(b.fields)], fields...)}
}

// Check is of zapcore.Core.
func (b *bridge) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if b.Enabled(e.Level) {
		return checked.AddCore(e, b)
	}
	return checked
}

// Write is of zapcore.Core.
func (b *bridge) Write(e zapcore.Entry, fields []zapcore.Field) error {
	said := zapcore.NewMapObjectEncoder()
	for _, list := range [][]zapcore.Field{b.fields, fields} {
		for _, f := range list {
			f.AddTo(said)
		}
	}
	b.log.Log(context.Background(), level(e.Level), "etcd: "+e.Message, "fields", said.Fields)
	return nil
}

// Sync is of zapcore.Core.
func (b *bridge) Sync() error { return nil }
