// The other files of this module are those of Trips, with another import: see Plugins/ChangeImport.
