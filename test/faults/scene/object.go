package scene

import (
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Key names an object of a scene; all lie in its namespace, but for
// Applications and definitions.
type Key struct{ Kind, Name string }

// String has the form Kind/name.
func (k Key) String() string { return k.Kind + "/" + k.Name }

// Object is one manifest.
type Object struct {
	Key

	// App is the folder of the application that holds it.
	App string
	// Content changes with each change of the object.
	Content string
	Wave    int
	// Hook is the phase and Policy the delete policy of a hook.
	Hook, Policy string
	// Generated names of hooks are a prefix.
	Generated bool
	// Path is the folder that an object of kind Application deploys.
	Path string
}

// ContentAnnotation holds Object.Content on every object.
const ContentAnnotation = "fault-suite/content"

func (o Object) annotations() string {
	var b strings.Builder
	fmt.Fprintf(&b, "    fault-suite/content: %q\n", o.Content)
	fmt.Fprintf(&b, "    argocd.argoproj.io/sync-wave: %q\n", strconv.Itoa(o.Wave))
	if o.Hook != "" {
		fmt.Fprintf(&b, "    argocd.argoproj.io/hook: %s\n", o.Hook)
	}
	if o.Policy != "" {
		fmt.Fprintf(&b, "    argocd.argoproj.io/hook-delete-policy: %s\n", o.Policy)
	}
	return b.String()
}

func (o Object) name() string {
	if o.Generated {
		return "generateName: " + o.Name
	}
	return "name: " + o.Name
}

// YAML is the object as Git holds it.
func (s *Scene) YAML(o Object) string {
	head := func(api string) string {
		return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  %s\n  annotations:\n%s", api, o.Kind, o.name(), o.annotations())
	}
	switch o.Kind {
	case "Deployment":
		return head("apps/v1") + fmt.Sprintf(`spec:
  replicas: 1
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}, annotations: {content: %[2]q}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: registry.example.com/main}]}
`, o.Name, o.Content)
	case "Job":
		return head("batch/v1") + "spec:\n  template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/main}]}}\n"
	case "CustomResourceDefinition":
		return head("apiextensions.k8s.io/v1") + fmt.Sprintf(definition, s.Group())
	case "Gadget":
		return head(s.Group()+"/v1") + fmt.Sprintf("spec: {content: %q}\n", o.Content)
	case "Application":
		return fmt.Sprintf("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: %s\n  namespace: %s\n  annotations:\n%s", o.Name, s.Control, o.annotations()) +
			"  finalizers: [resources-finalizer.argocd.argoproj.io]\nspec:\n" + s.spec(o.Path)
	}
	return head("v1") + fmt.Sprintf("data: {content: %q, filler: %q}\n", o.Content, strings.Repeat("x", 200))
}

const definition = `spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {content: {type: string}}}}}}
`

// Fields is the object as a tree, to compare a live one with.
func (s *Scene) Fields(o Object) map[string]any {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(s.YAML(o)), &fields); err != nil {
		panic(fmt.Sprintf("scene: %v in\n%s", err, s.YAML(o))) // this package wrote it
	}
	return fields
}

// spec is the spec of an Application of one folder, indented.
func (s *Scene) spec(path string) string {
	return fmt.Sprintf(`  project: default
  source: {repoURL: %s, path: %s, targetRevision: HEAD}
  destination: {server: "https://kubernetes.default.svc", namespace: %s}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    retry: {limit: -1, backoff: {duration: 1s, factor: 2, maxDuration: 4s}}
`, s.RepoURL, path, s.Namespace)
}
