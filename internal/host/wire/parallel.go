package wire

import (
	"context"

	"github.com/causeway-gitops/causeway/internal/crew"
)

// atOnce is how many requests one listing has under way: hosts ask clients to
// be modest.
const atOnce = 4

// Map asks about each of many, some at once, and keeps their order. Those for
// which ask says false are left out; the first error ends it. The subject names
// for people what is listed.
func Map[T, R any](ctx context.Context, subject string, all []T, ask func(context.Context, T) (R, bool, error)) ([]R, error) {
	results, found := make([]R, len(all)), make([]bool, len(all))
	held := &listing{subject: subject}
	defer held.end()
	group, ctx := crew.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, one := range all {
		group.Go(func() (err error) {
			if err = ctx.Err(); err != nil {
				return err
			}
			if results[i], found[i], err = ask(ctx, one); err != nil {
				return err
			}
			return held.take(results[i : i+1])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	kept := results[:0]
	for i, r := range results {
		if found[i] {
			kept = append(kept, r)
		}
	}
	return kept, nil
}
