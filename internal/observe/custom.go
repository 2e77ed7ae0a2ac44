package observe

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe/custom"
	"github.com/causeway-gitops/causeway/internal/observe/sandbox"
)

// codes are what a script may say.
var codes = []gitops.HealthCode{gitops.Healthy, gitops.Progressing, gitops.Degraded, gitops.Suspended, gitops.Missing, gitops.HealthUnknown}

// byScript assesses with a script, to which the object is the global obj.
func byScript(p *sandbox.Program) checkOn {
	return func(server string, o *unstructured.Unstructured) (gitops.Health, error) {
		object := withoutManagers(o.Object)
		result, err := p.RunFor(sandbox.Subject{Server: server, Object: object}, map[string]any{"obj": object})
		if err != nil {
			return gitops.Health{}, err
		}
		return said(result)
	}
}

// withoutManagers leaves out what no script looks at, and what is often the
// largest part of an object. The object itself stays as it is.
func withoutManagers(o map[string]any) map[string]any {
	meta, ok := o["metadata"].(map[string]any)
	if !ok || meta["managedFields"] == nil {
		return o
	}
	out := make(map[string]any, len(o))
	for k, v := range o {
		out[k] = v
	}
	less := make(map[string]any, len(meta))
	for k, v := range meta {
		if k != "managedFields" {
			less[k] = v
		}
	}
	out["metadata"] = less
	return out
}

// said reads what a script returned: a table with status and message. Nothing,
// an empty table, a list, and fields of another type are no health at all; any
// other value, and a status that there is not, are mistakes.
func said(result any) (gitops.Health, error) {
	switch result := result.(type) {
	case nil, []any:
		return gitops.Health{}, nil
	case map[string]any:
		return saidFields(result), nil
	}
	return gitops.Health{}, fmt.Errorf("the script returned a %T where a table belongs", result)
}

func saidFields(fields map[string]any) gitops.Health {
	texts := map[string]string{}
	// Capitals do not matter in names; the exact one comes last, and wins.
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name := strings.ToLower(key)
		if name != "status" && name != "message" {
			continue
		}
		text, ok := fields[key].(string)
		if !ok {
			return gitops.Health{}
		}
		texts[name] = text
	}
	code := gitops.HealthCode(texts["status"])
	if !slices.Contains(codes, code) {
		return gitops.Health{Code: gitops.HealthUnknown, Message: fmt.Sprintf("The health check returned the status %q, which there is not", code)}
	}
	return gitops.Health{Code: code, Message: texts["message"]}
}

// byCustom assesses as the installation says.
func byCustom(h *custom.Health) checkOn {
	if h.Script != nil {
		return byScript(h.Script)
	}
	return func(_ string, o *unstructured.Unstructured) (gitops.Health, error) {
		if h.Expressions == nil {
			return gitops.Health{}, errors.New("there is nothing to assess it by")
		}
		return h.Expressions.Health(o.Object)
	}
}
