"""Push sessions of this machine to a team's store, and set such a store up."""
