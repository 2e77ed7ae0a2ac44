// Package scene makes up what the fault suite deploys: for each seed a few
// applications with waves, hooks, prunes, definitions with their instances,
// applications of applications and ApplicationSets, over several commits.
//
// All of it is plain YAML that this package writes itself, so that what the
// cluster should hold is known without the engine. It talks to no cluster.
package scene
