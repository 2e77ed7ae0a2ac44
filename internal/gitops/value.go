package gitops

// Layer is one place that gives a Helm value, or a setting of another renderer. A stronger layer wins.
type Layer struct {
	// Kind says what the place is.
	Kind LayerKind
	// Name tells it from others of its kind: the value file as the
	// Application writes it, the parameter's name, the chart's name.
	Name string
	// Origin is where the value is written, as exactly as is known.
	Origin Origin
	// Value is what this layer alone says.
	Value any
}

// LayerKind is a kind of layer, in the order of strength of the constants.
type LayerKind string

// The layers of Helm values, the weakest first.
const (
	LayerChart         LayerKind = "chart"
	LayerValueFile     LayerKind = "valueFile"
	LayerValues        LayerKind = "values" // values or valuesObject of the Application
	LayerParameter     LayerKind = "parameter"
	LayerFileParameter LayerKind = "fileParameter"
)

// The layers of what is rendered without Helm.
const (
	LayerKustomization LayerKind = "kustomization" // the kustomization file
	LayerSource        LayerKind = "source"        // the source of the Application
)

// Value is one leaf of the values that a chart is rendered with.
type Value struct {
	// Path leads to the leaf; items of lists are not opened.
	Path []string
	// Layers that say something of it, the weakest first: the last one won.
	Layers []Layer
}
