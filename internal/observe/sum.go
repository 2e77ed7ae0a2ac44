package observe

import (
	"fmt"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ignoreHealth is the value of the ignore-healthcheck annotation that counts.
const ignoreHealth = "true"

// Item is one object of an application as Sum sees it. Hooks are none: they
// are there for a sync, not for the application.
type Item struct {
	Key gitops.Key
	// Live is nil when the object is not there.
	Live *gitops.Live
	// Ignored marks an object whose manifest says ignore-healthcheck.
	Ignored bool
}

// Health is the item's own health: Missing when the object is not there.
func (i Item) Health() gitops.Health {
	if i.Live == nil {
		return gitops.Health{Code: gitops.Missing, Message: "The object does not exist"}
	}
	return i.Live.Health
}

// Sum is the worst health of the objects that count; Healthy when none does.
// The message names the first object that is as bad.
func (c *Checks) Sum(items []Item) gitops.Health {
	worst := gitops.Health{Code: gitops.Healthy}
	for _, item := range items {
		h := item.Health()
		if !c.counts(item, h) || !gitops.Worse(h.Code, worst.Code) {
			continue
		}
		worst = gitops.Health{Code: h.Code, Message: describe(item.Key, h)}
	}
	return worst
}

// counts leaves out what the user told to ignore, and kinds without a check:
// their absence does not make an application unhealthy. Their deletion,
// while it lasts, does.
func (c *Checks) counts(item Item, h gitops.Health) bool {
	if item.Ignored || item.Live == nil && !c.Has(item.Key.Group, item.Key.Kind) {
		return false
	}
	if item.Live != nil && item.Live.Annotations[gitops.AnnotationIgnore] == ignoreHealth {
		return false
	}
	return h.Code != ""
}

func describe(k gitops.Key, h gitops.Health) string {
	name := gitops.ObjectName(k.Kind, k.Namespace, k.Name)
	if h.Message == "" {
		return fmt.Sprintf("%s is %s", name, h.Code)
	}
	return name + ": " + h.Message
}
