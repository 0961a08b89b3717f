// The rest of this module is that of Trips, with another import: see Plugins/ChangeImport.
