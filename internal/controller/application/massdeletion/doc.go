// Package massdeletion tells what a plan deletes, with what goes along, and whether that is more than may go without a
// person's word. It holds nothing back itself: the controller of Applications does.
package massdeletion
