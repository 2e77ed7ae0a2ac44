package kwok

import (
	"embed"
	"fmt"

	"sigs.k8s.io/kwok/kustomize/stage/node/fast"
	heartbeat "sigs.k8s.io/kwok/kustomize/stage/node/heartbeat-with-lease"
	podfast "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"

	"sigs.k8s.io/kwok/pkg/apis/internalversion"
)

// Annotations of a pod that choose what its life looks like, behind a prefix.
const (
	readyAfter    = "ready-after"
	neverReady    = "never-ready"
	fail          = "fail"
	completeAfter = "complete-after"
)

// Prefixes of those annotations. The former one is deprecated, and read where the
// other one is not there.
const (
	prefix       = "kube.causeway.io/"
	formerPrefix = "kube.causeway.dev/"
)

//go:embed stages/*.yaml
var own embed.FS

type byResource = map[internalversion.StageResourceRef][]*internalversion.Stage

// stages are kwok's own for nodes and pods, changed so that they leave annotated pods alone, and ours for those.
func stages() (byResource, error) {
	group := byResource{}
	for _, text := range []string{fast.DefaultNodeInit, heartbeat.DefaultNodeHeartbeatWithLease, podfast.DefaultPodDelete} {
		if err := add(group, text); err != nil {
			return nil, err
		}
	}
	if err := add(group, podfast.DefaultPodReady, without(fail), without(neverReady), after(readyAfter)); err != nil {
		return nil, err
	}
	if err := add(group, podfast.DefaultPodComplete, completes, without(neverReady), after(completeAfter)); err != nil {
		return nil, err
	}
	files, err := own.ReadDir("stages")
	if err != nil {
		return nil, fmt.Errorf("cannot list the built-in stages: %w", err)
	}
	for _, file := range files {
		text, err := own.ReadFile("stages/" + file.Name())
		if err != nil {
			return nil, fmt.Errorf("cannot read the built-in stage %s: %w", file.Name(), err)
		}
		if err := add(group, string(text)); err != nil {
			return nil, fmt.Errorf("cannot use the built-in stage %s: %w", file.Name(), err)
		}
	}
	return group, nil
}

type change func(*internalversion.Stage)

func add(group byResource, text string, changes ...change) error {
	stage, err := kwokconfig.UnmarshalWithType[*internalversion.Stage](text)
	if err != nil {
		return fmt.Errorf("cannot read a stage: %w", err)
	}
	for _, apply := range changes {
		apply(stage)
	}
	ref := stage.Spec.ResourceRef
	group[ref] = append(group[ref], stage)
	return nil
}

// annotation is the jq expression of its value.
func annotation(name string) string {
	return `.metadata.annotations | .["` + prefix + name + `"] // .["` + formerPrefix + name + `"]`
}

// without keeps pods that ask for something else out of a stage.
func without(name string) change {
	return func(stage *internalversion.Stage) {
		require(stage, annotation(name), internalversion.SelectorOpNotIn, "true")
	}
}

// after delays a stage by the duration that an annotation gives.
func after(name string) change {
	return func(stage *internalversion.Stage) {
		var none int64
		stage.Spec.Delay = &internalversion.StageDelay{
			DurationMilliseconds: &none,
			DurationFrom: &internalversion.ExpressionFrom{
				JQ: &internalversion.ExpressionJQ{Expression: annotation(name)},
			},
		}
	}
}

// completes widens kwok's rule for Jobs to every pod that is meant to end, such as a hook that is a bare pod.
func completes(stage *internalversion.Stage) {
	kept := stage.Spec.Selector.MatchExpressions[:0]
	for _, expression := range stage.Spec.Selector.MatchExpressions {
		if expression.JQ != nil && expression.JQ.Key == ".metadata.ownerReferences.[].kind" {
			continue
		}
		kept = append(kept, expression)
	}
	stage.Spec.Selector.MatchExpressions = kept
	require(stage, ".spec.restartPolicy", internalversion.SelectorOpIn, "Never", "OnFailure")
}

func require(stage *internalversion.Stage, key string, operator internalversion.SelectorOperator, values ...string) {
	stage.Spec.Selector.MatchExpressions = append(stage.Spec.Selector.MatchExpressions, internalversion.MatchExpression{
		JQ: &internalversion.SelectorJQ{Key: key, Operator: operator, Values: values},
	})
}
