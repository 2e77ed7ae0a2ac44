package lint

// Mistake is one thing that is wrong with an object.
type Mistake struct {
	// Reason is one of the constants below.
	Reason string
	// Message says what is wrong, and what to do; it has no values.
	Message string

	// later is what releases of External Secrets' operator may know and this engine does not: in a cluster that has the
	// operator, it is no mistake.
	later bool
}

// The reasons.
const (
	// Unreadable is a field of another type than its kind has.
	Unreadable = "UnreadableExternalSecret"
	// Template is a template that does not parse.
	Template = "BrokenSecretTemplate"
	// TemplateKey is a value that a template looks up and that nothing gives.
	TemplateKey = "UnknownTemplateKey"
	// Interval is a refreshInterval that is no duration.
	Interval = "BrokenRefreshInterval"
	// Policy is one that there is not.
	Policy = "UnknownPolicy"
	// SecretKey is one that two entries of data give.
	SecretKey = "DuplicateSecretKey"
	// Provider is a store with none, or with several, or with one that the engine does not have.
	Provider = "UnknownProvider"
	// Store is one that no application makes.
	Store = "UnknownStore"
	// Permission is a store whose conditions do not admit the namespace.
	Permission = "StoreNotPermitted"
	// Order is a store that is made after what waits for it.
	Order = "StoreInLaterWave"
	// Owners are two who make the same Secret.
	Owners = "SecretMadeTwice"
)

// Found is a mistake of one of the objects.
type Found struct {
	Mistake

	// At is the object's index.
	At int
}
