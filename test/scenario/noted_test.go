package scenario

import (
	"context"
	"time"
)

// What the recorder carries from a request to its answer.
type (
	beginKey   struct{}
	optionsKey struct{}
)

func withBegin(ctx context.Context, at time.Time) context.Context {
	return context.WithValue(ctx, beginKey{}, at)
}

func begin(ctx context.Context) time.Time {
	at, _ := ctx.Value(beginKey{}).(time.Time)
	return at
}

func withDeleteOptions(ctx context.Context, body []byte) context.Context {
	return context.WithValue(ctx, optionsKey{}, body)
}

func deleteOptions(ctx context.Context) []byte {
	body, _ := ctx.Value(optionsKey{}).([]byte)
	return body
}
