package wire

import "github.com/causeway-gitops/causeway/internal/gitops"

// MaxPages bounds a listing: a server that always has another page must not
// keep the engine forever. At the usual 100 a page it is 200,000 entries, and
// more are not read in larger ones.
const MaxPages = 2000

const maxEntries = MaxPages * 100

// Pages reads a listing page by page, from the first on, until next is the
// zero value: a page's number or the token that names it. What it gives is small
// where read converts each page.
func Pages[T any, C comparable](subject string, first C, read func(page C) (items []T, next C, err error)) ([]T, error) {
	var (
		all []T
		end C
	)
	held := &listing{subject: subject}
	defer held.end()
	page := first
	for range MaxPages {
		items, next, err := read(page)
		if err != nil {
			return nil, Explain(subject, err)
		}
		if err := held.take(items); err != nil {
			return nil, err
		}
		if all = append(all, items...); len(all) > maxEntries {
			return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: it has more than %d entries", subject, maxEntries).Do("ask for less")
		}
		if next == end {
			return all, nil
		}
		if next == page {
			return nil, gitops.Problemf(gitops.Unreachable, "cannot read %s: a page names itself as the next one", subject)
		}
		page = next
	}
	return nil, gitops.Problemf(gitops.Invalid, "cannot read %s: it has more than %d pages", subject, MaxPages).Do("ask for less")
}
